// SPDX-License-Identifier: Apache-2.0
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tidemark/base/bytes.h"
#include "tidemark/base/hash.h"
#include "tidemark/graph/job_graph.h"

// A fingerprint is the XXH3 of a canonical encoding. Protobuf's own encoding is not canonical over
// versions of its library, so messages are written here by reflection: for each set field in the
// order of its number the number and the value; maps in the order of their keys. A field that a
// later version adds and a job does not use changes nothing.

namespace tidemark {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void write_message(const Message& message, ByteWriter& out);

/// One value of a field; `index` is -1 for a field that is not repeated.
void write_value(const Message& message, const FieldDescriptor& field, int index, ByteWriter& out) {
  const Reflection& reflection = *message.GetReflection();
  const bool one = index < 0;
  const auto scalar = [&](auto single, auto repeated) {
    out.put(one ? (reflection.*single)(message, &field)
                : (reflection.*repeated)(message, &field, index));
  };
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return scalar(&Reflection::GetInt32, &Reflection::GetRepeatedInt32);
    case FieldDescriptor::CPPTYPE_INT64:
      return scalar(&Reflection::GetInt64, &Reflection::GetRepeatedInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return scalar(&Reflection::GetUInt32, &Reflection::GetRepeatedUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return scalar(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return scalar(&Reflection::GetDouble, &Reflection::GetRepeatedDouble);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return scalar(&Reflection::GetFloat, &Reflection::GetRepeatedFloat);
    case FieldDescriptor::CPPTYPE_BOOL:
      return scalar(&Reflection::GetBool, &Reflection::GetRepeatedBool);
    case FieldDescriptor::CPPTYPE_ENUM:
      return scalar(&Reflection::GetEnumValue, &Reflection::GetRepeatedEnumValue);
    case FieldDescriptor::CPPTYPE_STRING:
      return out.put_string(one ? reflection.GetString(message, &field)
                                : reflection.GetRepeatedString(message, &field, index));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return write_message(one ? reflection.GetMessage(message, &field)
                               : reflection.GetRepeatedMessage(message, &field, index),
                           out);
  }
}

void write_message(const Message& message, ByteWriter& out) {
  std::vector<const FieldDescriptor*> fields;  // those that are set, in the order of their numbers
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    out.put(field->number());
    if (!field->is_repeated()) {
      write_value(message, *field, -1, out);
      continue;
    }
    const int size = message.GetReflection()->FieldSize(message, field);
    std::vector<std::string> items;
    for (int i = 0; i < size; ++i) {
      ByteWriter item;
      write_value(message, *field, i, item);
      items.push_back(item.take());
    }
    if (field->is_map()) std::sort(items.begin(), items.end());
    out.put(size);
    for (const std::string& item : items) out.put_string(item);
  }
  out.put(std::int32_t{0});  // no field has this number: the end
}

template <typename Options>
void keep_identifying(Options* options) {
  Options kept;
  for (const char* name : {"connector", "format", "path"})
    if (const auto option = options->find(name); option != options->end())
      kept[name] = option->second;
  options->swap(kept);
}

/// These come from a table's options, which may change.
void forget_tuning(proto::WatermarkSpec* watermark) {
  watermark->clear_emit_on_event();
  watermark->clear_idle_after_millis();
}

proto::Node what_counts(const proto::Node& node) {
  proto::Node kept = node;
  kept.clear_id();
  kept.clear_name();
  kept.clear_parallelism();
  if (kept.has_source()) {
    keep_identifying(kept.mutable_source()->mutable_options());
    if (kept.source().has_watermark()) forget_tuning(kept.mutable_source()->mutable_watermark());
  }
  if (kept.has_sink()) keep_identifying(kept.mutable_sink()->mutable_options());
  if (kept.has_watermark()) forget_tuning(kept.mutable_watermark());
  return kept;
}

/// The node and the edges into it, by uid.
std::string canonical(const proto::JobGraph& graph, const proto::Node& node) {
  std::map<std::uint32_t, std::string> uids;
  for (const proto::Node& other : graph.nodes()) uids[other.id()] = other.uid();
  ByteWriter out;
  write_message(what_counts(node), out);
  std::vector<std::string> edges;
  for (const proto::Edge& edge : graph.edges()) {
    if (edge.to() != node.id()) continue;
    proto::Edge kept = edge;
    kept.clear_from();
    kept.clear_to();
    // Front ends choose between forward and rebalance by the parallelism of the two sides.
    if (kept.partitioning() == proto::Edge::REBALANCE) kept.clear_partitioning();
    ByteWriter encoded;
    encoded.put_string(uids[edge.from()]);
    write_message(kept, encoded);
    edges.push_back(encoded.take());
  }
  std::sort(edges.begin(), edges.end());
  for (const std::string& edge : edges) out.put_string(edge);
  return out.take();
}

}  // namespace

std::uint64_t fingerprint(const proto::JobGraph& graph, const proto::Node& node) {
  return stable_hash(canonical(graph, node));
}

std::uint64_t fingerprint(const proto::JobGraph& graph) {
  std::map<std::string, std::string> nodes;
  for (const proto::Node& node : graph.nodes()) nodes[node.uid()] = canonical(graph, node);
  ByteWriter out;
  for (const auto& [uid, encoded] : nodes) out.put_string(encoded);
  return stable_hash(out.view());
}

}  // namespace tidemark
