// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tidemark/base/result.h"
#include "tidemark/operator/operator.h"
#include "tidemark/window/window_description.h"

namespace tidemark {

/// HOP and CUMULATE as tables (graph/job_graph.proto, WindowTableSpec): every row once for each
/// window that holds it, with window_start, window_end and window_time behind its columns. The
/// event time of what comes out is window_time, the window's last millisecond: it is the time
/// attribute of what follows, which is never later than the row itself.
struct WindowTableDescription {
  SchemaPtr output;  // the input's columns, window_start, window_end, window_time
  WindowDescription window;
  std::string time_zone = "UTC";
  bool local_time = false;  // windows are cut by the clocks of time_zone
};

/// Rows in no window are counted as unassigned.
Result<std::unique_ptr<Operator>> make_window_table(WindowTableDescription description);

}  // namespace tidemark
