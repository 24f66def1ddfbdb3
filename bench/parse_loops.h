// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "bench/bid_text.h"

namespace tidemark::bench {

/// Receives a batch's columns; they are cleared afterwards.
using BidConsumer = std::function<void(const BidColumns&)>;

/// What a programmer would write by hand for this one schema. They trust their input: no quotes, no
/// escapes, no NULL, no overflow, no bad records.

/// CSV: finds the delimiters of 64 KiB at a time with vector instructions, then converts the
/// fields.
void parse_csv_by_hand(const BidText& text, std::size_t batch_rows, const BidConsumer& consume);

/// JSON: simdjson On-Demand over a stream of objects, fields asked for in the order of the text.
void parse_json_by_hand(const BidText& text, std::size_t batch_rows, const BidConsumer& consume);

}  // namespace tidemark::bench
