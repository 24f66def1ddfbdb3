// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/arrow.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace tidemark {
namespace {

std::string timestamp_format(const DataType& type, const char* zone) {
  const char unit = type.precision <= 3 ? 'm' : type.precision <= 6 ? 'u' : 'n';
  return fmt::format("ts{}:{}", unit, zone);
}

// Format strings of the C Data Interface.
std::string arrow_format(const DataType& type) {
  switch (type.kind) {
    case TypeKind::kNull: return "n";
    case TypeKind::kBoolean: return "b";
    case TypeKind::kTinyInt: return "c";
    case TypeKind::kSmallInt: return "s";
    case TypeKind::kInt: return "i";
    case TypeKind::kBigInt: return "l";
    case TypeKind::kFloat: return "f";
    case TypeKind::kDouble: return "g";
    case TypeKind::kDecimal: return fmt::format("d:{},{}", type.precision, type.scale);
    case TypeKind::kString: return "u";
    case TypeKind::kBytes: return "z";
    case TypeKind::kDate: return "tdD";
    case TypeKind::kTime: return "ttm";
    case TypeKind::kTimestamp: return timestamp_format(type, "");
    case TypeKind::kTimestampLtz: return timestamp_format(type, "UTC");
    case TypeKind::kIntervalDay: return "tDm";
    case TypeKind::kIntervalMonth: return "tiM";
  }
  return "n";
}

struct SchemaMemory {
  std::string format;
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> child_pointers;
};

void release_schema(ArrowSchema* schema) {
  for (std::int64_t i = 0; i < schema->n_children; ++i)
    if (schema->children[i]->release) schema->children[i]->release(schema->children[i]);
  delete static_cast<SchemaMemory*>(schema->private_data);
  schema->release = nullptr;
}

void fill_schema(std::unique_ptr<SchemaMemory> memory, bool nullable, ArrowSchema* out) {
  *out = ArrowSchema{};
  for (ArrowSchema& child : memory->children) memory->child_pointers.push_back(&child);
  out->format = memory->format.c_str();
  out->name = memory->name.c_str();
  out->flags = nullable ? ARROW_FLAG_NULLABLE : 0;
  out->n_children = static_cast<std::int64_t>(memory->children.size());
  out->children = memory->child_pointers.data();
  out->release = release_schema;
  out->private_data = memory.release();
}

// Keeps what the exported pointers point into.
struct ArrayMemory {
  BatchPtr batch;
  ColumnPtr column;
  Buffer packed;  // a BOOLEAN column as bits
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> child_pointers;
};

void release_array(ArrowArray* array) {
  for (std::int64_t i = 0; i < array->n_children; ++i)
    if (array->children[i]->release) array->children[i]->release(array->children[i]);
  delete static_cast<ArrayMemory*>(array->private_data);
  array->release = nullptr;
}

void fill_array(std::unique_ptr<ArrayMemory> memory, std::size_t rows, std::size_t nulls,
                ArrowArray* out) {
  *out = ArrowArray{};
  for (ArrowArray& child : memory->children) memory->child_pointers.push_back(&child);
  out->length = static_cast<std::int64_t>(rows);
  out->null_count = static_cast<std::int64_t>(nulls);
  out->n_buffers = static_cast<std::int64_t>(memory->buffers.size());
  out->buffers = memory->buffers.data();
  out->n_children = static_cast<std::int64_t>(memory->children.size());
  out->children = memory->child_pointers.data();
  out->release = release_array;
  out->private_data = memory.release();
}

Buffer pack_booleans(const Column& column) {
  Buffer bits(bitmap_bytes(column.size()));
  if (bits.size() > 0) std::memset(bits.data(), 0, bits.size());
  for (std::size_t i = 0; i < column.size(); ++i)
    if (column.value<std::uint8_t>(i)) set_bit(bits.as<std::uint8_t>(), i);
  return bits;
}

void export_column(const ColumnPtr& column, ArrowArray* out) {
  auto memory = std::make_unique<ArrayMemory>();
  memory->column = column;
  const std::size_t nulls =
      column->kind() == TypeKind::kNull ? column->size() : column->null_count();
  if (column->kind() == TypeKind::kNull)
    return fill_array(std::move(memory), column->size(), nulls, out);
  memory->buffers.push_back(column->validity_bits());
  if (column->kind() == TypeKind::kBoolean) {
    memory->packed = pack_booleans(*column);
    memory->buffers.push_back(memory->packed.data());
  } else {
    if (is_variable_width(column->kind())) memory->buffers.push_back(column->offsets());
    memory->buffers.push_back(column->bytes());
  }
  fill_array(std::move(memory), column->size(), nulls, out);
}

}  // namespace

void export_to_arrow(const Schema& schema, ArrowSchema* out) {
  auto memory = std::make_unique<SchemaMemory>();
  memory->format = "+s";
  memory->children.resize(schema.size());
  for (std::size_t i = 0; i < schema.size(); ++i) {
    auto child = std::make_unique<SchemaMemory>();
    child->format = arrow_format(schema.fields[i].type);
    child->name = schema.fields[i].name;
    fill_schema(std::move(child), schema.fields[i].type.nullable, &memory->children[i]);
  }
  fill_schema(std::move(memory), /*nullable=*/false, out);
}

void export_to_arrow(const BatchPtr& batch, ArrowArray* out) {
  auto memory = std::make_unique<ArrayMemory>();
  memory->batch = batch;
  memory->buffers.push_back(nullptr);
  memory->children.resize(batch->columns().size());
  for (std::size_t i = 0; i < batch->columns().size(); ++i)
    export_column(batch->column_ptr(i), &memory->children[i]);
  fill_array(std::move(memory), batch->rows(), /*nulls=*/0, out);
}

}  // namespace tidemark
