// SPDX-License-Identifier: Apache-2.0
// Must not compile: a std::vector is no column.
#include <vector>

#include "tidemark/data/record.h"

struct Reading {
  std::vector<int> values;
};
BOOST_DESCRIBE_STRUCT(Reading, (), (values))

const auto schema = tidemark::schema_of<Reading>();
