// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/sql/parser.h"

namespace tidemark::sql {

class Parser::Level {
 public:
  explicit Level(Parser& parser) : parser_(parser) { ++parser_.level_; }
  ~Level() { --parser_.level_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  Parser& parser_;
};

}  // namespace tidemark::sql
