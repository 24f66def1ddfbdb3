// SPDX-License-Identifier: Apache-2.0
// Must not compile: the struct is not described.
#include "tidemark/data/record.h"

struct Reading {
  int value = 0;
};

const auto schema = tidemark::schema_of<Reading>();
