// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tidemark/data/batch.h"

// The structures of Arrow's C Data Interface (arrow.apache.org/docs/format/CDataInterface.html);
// the layout is the standard's, so any Arrow library in the process can import them.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif  // ARROW_C_DATA_INTERFACE

namespace tidemark {

/// Exports a schema as a struct type. The receiver calls `release`.
void export_to_arrow(const Schema& schema, ArrowSchema* out);
/// Exports a batch as a struct array that keeps the batch alive until `release`. Buffers are
/// shared, not copied, but for BOOLEAN, which Arrow packs to bits. Event times and row kinds are
/// left out.
void export_to_arrow(const BatchPtr& batch, ArrowArray* out);

}  // namespace tidemark
