// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tidemark/expr/time_zone.h"
#include "tidemark/format/format.h"
#include "tidemark/format/json_options.h"

namespace tidemark {

/// Reads one JSON object a line. A line is parsed by itself, so that a broken one leaves nothing
/// behind. `zone` gives TIMESTAMP_LTZ text without a zone its meaning.
std::unique_ptr<Decoder> make_json_decoder(SchemaPtr schema, const JsonOptions& options,
                                           TimeZone zone);

}  // namespace tidemark
