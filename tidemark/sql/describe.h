// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/options.h"
#include "tidemark/base/result.h"
#include "tidemark/sql/catalog.h"
#include "tidemark/sql/relation.h"

// What SHOW, DESCRIBE and SET answer, in the tables of Flink's SQL client.

namespace tidemark::sql {

std::string describe_names(std::string_view heading, const std::vector<std::string>& names);
std::string describe_options(const OptionMap& options);
std::string describe_table(const Table& table);
std::string describe_view(const Relation& relation);

/// A statement that makes the same table or view again; every name is in backquotes.
std::string create_statement(const Table& table, const SourceText& source);
std::string create_statement(const View& view, const SourceText& source);

/// Checks the value of an option that the compiler itself reads; others pass.
Status check_option(std::string_view name, std::string_view value);

}  // namespace tidemark::sql
