// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/expr/kernel.h"
#include "tidemark/expr/row_kernel.h"
#include "tidemark/expr/time_zone.h"

// CAST by family of types. Each takes types that can_cast() allows.

namespace tidemark {

KernelPtr make_number_cast(const DataType& from, const DataType& to);
KernelPtr make_text_cast(const DataType& from);   // to STRING
KernelPtr make_parsing_cast(const DataType& to);  // from STRING
KernelPtr make_temporal_cast(const DataType& from, const DataType& to);

/// The session time zone for functions of one row, looked up once.
class SessionZone {
 public:
  /// nullptr, and the row fails, when there is no such zone.
  const TimeZone* get(Row& row) {
    if (!known_) look_up(row.context->time_zone);
    if (!found_) row.fail("unknown session time zone");
    return found_ ? &zone_ : nullptr;
  }

 private:
  void look_up(const std::string& name) {
    known_ = true;
    auto zone = TimeZone::find(name);
    found_ = zone.ok();
    if (found_) zone_ = *zone;
  }
  bool known_ = false;
  bool found_ = false;
  TimeZone zone_;
};

}  // namespace tidemark
