// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/state/key.h"
#include "tidemark/state/keyed_state.h"

namespace tidemark {

struct OrderedTableDescriptor {
  std::string name;
  KeyEncoding key_encoding = KeyEncoding::kFixed8;
  std::string key_schema;    // "(sensor STRING)"
  std::string entry_schema;  // of order key and value: "MAP<BIGINT, STRING>"
  TimeToLive ttl;            // of each entry
};

/// A keyed state of one subtask with an order within each key: (key, order key) -> value, both byte
/// strings, in the order of the order keys' bytes (memcmp). Writing one entry does not rewrite the
/// others of its key, and a range is read without reading what is outside it. There is no
/// namespace: an order key may begin with one.
///
/// Callers name a key by its row in an attached batch. With a time to live an expired entry is as
/// good as absent. Thread: the task's.
class OrderedTable {
 public:
  /// Of an entry; false ends the scan. It must not change the table.
  using Visitor = std::function<bool(std::string_view order_key, std::string_view value)>;

  virtual ~OrderedTable() = default;

  /// The rows named from now on are of `keys`, which must live until detach(). Rows are best named
  /// in ascending order: look-ups go ahead of them.
  virtual void attach(const KeyBatch& keys) = 0;
  /// Ends the batch. Before a snapshot.
  virtual void detach() = 0;

  /// The value; it holds until the next call.
  virtual std::optional<std::string_view> get(std::size_t row, std::string_view order_key) = 0;
  virtual void put(std::size_t row, std::string_view order_key, std::string_view value) = 0;
  virtual void erase(std::size_t row, std::string_view order_key) = 0;
  /// Order keys in [from, to); without `to`, all from `from` on.
  virtual void erase_range(std::size_t row, std::string_view from,
                           std::optional<std::string_view> to) = 0;
  virtual void clear(std::size_t row) = 0;
  virtual void scan(std::size_t row, std::string_view from, std::optional<std::string_view> to,
                    const Visitor& visit) = 0;
};

/// The tables that open_ordered_table() opens.
std::vector<TableDescriptor> ordered_table_descriptors(const OrderedTableDescriptor& table);

/// An ordered table over two tables of any backend, "NAME" and "NAME/pages": the entries of a key
/// lie in pages of at most 64 (and about 4 KiB), and a key of one page is one entry of the first
/// table. Call once a name, before or after restore().
std::unique_ptr<OrderedTable> open_ordered_table(KeyedStateBackend& backend,
                                                 const OrderedTableDescriptor& table);

}  // namespace tidemark
