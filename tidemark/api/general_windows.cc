// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/general_windows.h"

namespace tidemark::api_detail {

StreamNode describe_general_window(const StreamHandle& from,
                                   const GeneralWindowDescription& description, SchemaPtr output) {
  if (description.allowed_lateness < 0)
    from.graph->fail("the allowed lateness is " + std::to_string(description.allowed_lateness) +
                     " ms; it must be >= 0");
  StreamNode node;
  node.name = "window";
  node.output = std::move(output);
  node.inputs = {from.as_input()};
  node.inputs[0].keyed = true;
  node.inputs[0].key_columns = description.key_columns;
  node.side_outputs = {{"late", from.graph->node(from.node).output}};
  return node;
}

void check_processing_windows(StreamGraph& graph, const WindowDescription& window) {
  const Status status = validate(window);
  if (!status.ok()) return graph.fail(status.error().message);
  if (window.allowed_lateness > 0)
    graph.fail("windows of processing time have no late rows: take the allowed lateness away");
}

void check_count(StreamGraph& graph, const char* what, std::int64_t count) {
  if (count <= 0)
    graph.fail(std::string(what) + " of " + std::to_string(count) + " rows; it must be > 0");
}

}  // namespace tidemark::api_detail
