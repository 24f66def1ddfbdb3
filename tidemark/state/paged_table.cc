// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "tidemark/base/check.h"
#include "tidemark/state/batched_entries.h"
#include "tidemark/state/ordered_page.h"
#include "tidemark/state/ordered_table.h"

namespace tidemark {
namespace {

constexpr std::size_t kPageEntries = 64;
constexpr std::size_t kPageBytes = 4096;

/// A pointer to a page.
class PageOperations final : public ValueOperations {
 public:
  std::size_t width() const override { return sizeof(OrderedPage*); }
  bool is_plain() const override { return false; }
  void destroy(std::byte* value) const noexcept override {
    delete page_of(value);
    std::memset(value, 0, sizeof(OrderedPage*));
  }
  void encode(const std::byte* value, ByteWriter& out) const override {
    page_of(value)->encode(out);
  }
  void decode(ByteReader& in, std::byte* value) const override {
    made_page(value) = OrderedPage::decode(in);
  }

  static OrderedPage* page_of(const std::byte* value) noexcept {
    OrderedPage* page = nullptr;
    if (value != nullptr) std::memcpy(&page, value, sizeof(page));
    return page;
  }
  static OrderedPage& made_page(std::byte* value) {
    OrderedPage* page = page_of(value);
    if (page == nullptr) {
      page = new OrderedPage;
      std::memcpy(value, &page, sizeof(page));
    }
    return *page;
  }
};

TableDescriptor describe(const OrderedTableDescriptor& table, const std::string& suffix) {
  return {.name = table.name + suffix,
          .key_encoding = table.key_encoding,
          .values = std::make_shared<const PageOperations>(),
          .schema = table.key_schema + " -> " + table.entry_schema,
          .ttl = table.ttl};
}

class PagedTable final : public OrderedTable {
 public:
  PagedTable(KeyedStateBackend& backend, const OrderedTableDescriptor& table)
      : backend_(backend),
        ttl_(table.ttl),
        pages_(backend.open_table(describe(table, "/pages"))),
        heads_(backend, backend.open_table(describe(table, "")), describe(table, "")) {}

  void attach(const KeyBatch& keys) override {
    keys_ = &keys;
    heads_.attach(keys);
  }
  void detach() override {
    heads_.detach();
    keys_ = nullptr;
  }

  std::optional<std::string_view> get(std::size_t row, std::string_view order_key) override {
    const OrderedPage* page = page_for(row, order_key);
    if (page == nullptr) return std::nullopt;
    const std::size_t i = page->lower_bound(order_key);
    if (!page->holds(i, order_key) || expired(page->stamp(i))) return std::nullopt;
    if (!renews_on_read()) return page->value(i);
    OrderedPage& written = page_to_write(row, order_key);
    written.set_stamp(i, std::max(written.stamp(i), heads_.touch_time(row)));
    return written.value(i);
  }

  void put(std::size_t row, std::string_view order_key, std::string_view value) override {
    const std::int64_t stamp = ttl_.enabled() ? heads_.touch_time(row) : kMinTime;
    OrderedPage& page = page_to_write(row, order_key);
    if (ttl_.enabled()) page.prune(ttl_.ttl, now());
    page.put(order_key, value, stamp);
    if (page.size() > kPageEntries || (page.size() > 1 && page.bytes() > kPageBytes))
      split(row, order_key);
  }

  void erase(std::size_t row, std::string_view order_key) override {
    std::string next(order_key);
    next.push_back('\0');
    erase_range(row, order_key, next);
  }

  void erase_range(std::size_t row, std::string_view from,
                   std::optional<std::string_view> to) override {
    if (heads_.read(row) == nullptr) return;
    OrderedPage& head = PageOperations::made_page(heads_.write(row));
    if (head.children().empty()) {
      erase_in(head, from, to);
    } else {
      auto& children = head.children();
      for (std::size_t i = child_for(head, from); i < children.size();) {
        if (to && children[i].first >= *to && i > 0) break;
        OrderedPage& page = child_to_write(row, children[i].page);
        erase_in(page, from, to);
        if (page.size() > 0) {
          ++i;
          continue;
        }
        drop_page(row, children[i].page);
        children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
      }
      if (!children.empty()) children.front().first.clear();
    }
    if (head.children().empty() && head.size() == 0) heads_.erase(row);
  }

  void clear(std::size_t row) override {
    const OrderedPage* head = PageOperations::page_of(heads_.read(row));
    if (head == nullptr) return;
    for (const OrderedPage::Child& child : head->children()) drop_page(row, child.page);
    heads_.erase(row);
  }

  void scan(std::size_t row, std::string_view from, std::optional<std::string_view> to,
            const Visitor& visit) override {
    const OrderedPage* head = PageOperations::page_of(heads_.read(row));
    if (head == nullptr) return;
    if (head->children().empty()) {
      const OrderedPage& page =
          renews_on_read() ? PageOperations::made_page(heads_.write(row)) : *head;
      scan_page(row, page, from, to, visit);
      return;
    }
    // A look-up of a page leaves the head where it is: it is another table's.
    for (std::size_t i = child_for(*head, from); i < head->children().size(); ++i) {
      const OrderedPage::Child& child = head->children()[i];
      if (to && i > 0 && child.first >= *to) return;
      const OrderedPage* page =
          renews_on_read() ? &child_to_write(row, child.page) : child_to_read(row, child.page);
      if (page != nullptr && !scan_page(row, *page, from, to, visit)) return;
    }
  }

 private:
  std::int64_t now() const { return backend_.time().of(ttl_.clock); }
  bool expired(std::int64_t stamp) const {
    return ttl_.enabled() && is_expired(stamp, ttl_.ttl, now());
  }
  bool renews_on_read() const {
    return ttl_.enabled() && ttl_.update == TimeToLive::Update::kOnReadAndWrite;
  }

  // The child in which a key lies, or would.
  static std::size_t child_for(const OrderedPage& head, std::string_view order_key) {
    const auto& children = head.children();
    const auto after = std::upper_bound(
        children.begin() + 1, children.end(), order_key,
        [](std::string_view key, const OrderedPage::Child& child) { return key < child.first; });
    return static_cast<std::size_t>(after - children.begin()) - 1;
  }

  const OrderedPage* child_to_read(std::size_t row, std::int64_t page) {
    const auto index = static_cast<RowIndex>(row);
    const std::byte* value = nullptr;
    pages_.find(page, *keys_, {&index, 1}, {&value, 1});
    return PageOperations::page_of(value);
  }
  OrderedPage& child_to_write(std::size_t row, std::int64_t page) {
    const auto index = static_cast<RowIndex>(row);
    std::byte* value = nullptr;
    pages_.find_or_insert(page, *keys_, {&index, 1}, {&value, 1});
    return PageOperations::made_page(value);
  }
  void drop_page(std::size_t row, std::int64_t page) {
    const auto index = static_cast<RowIndex>(row);
    pages_.erase(page, *keys_, {&index, 1});
  }

  const OrderedPage* page_for(std::size_t row, std::string_view order_key) {
    const OrderedPage* head = PageOperations::page_of(heads_.read(row));
    if (head == nullptr || head->children().empty()) return head;
    return child_to_read(row, head->children()[child_for(*head, order_key)].page);
  }
  // Also renews the head: it must not expire before its pages.
  OrderedPage& page_to_write(std::size_t row, std::string_view order_key) {
    OrderedPage& head = PageOperations::made_page(heads_.write(row));
    if (head.children().empty()) return head;
    return child_to_write(row, head.children()[child_for(head, order_key)].page);
  }

  // The page of `order_key` has become too large.
  void split(std::size_t row, std::string_view order_key) {
    OrderedPage& head = PageOperations::made_page(heads_.write(row));
    auto& children = head.children();
    if (children.empty()) {
      OrderedPage whole;
      std::swap(whole, head);
      head.children().push_back({"", 1});
      child_to_write(row, 1) = std::move(whole);
    }
    const std::size_t at = child_for(head, order_key);
    const std::int64_t upper_page = free_page(head);
    OrderedPage upper;
    child_to_write(row, children[at].page).split_to(upper);
    children.insert(children.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                    {std::string(upper.key(0)), upper_page});
    child_to_write(row, upper_page) = std::move(upper);
  }

  // The smallest number that is no page of this key: pages of many keys share namespaces.
  static std::int64_t free_page(const OrderedPage& head) {
    std::vector<bool> taken(head.children().size() + 2);
    for (const OrderedPage::Child& child : head.children())
      if (child.page < static_cast<std::int64_t>(taken.size()))
        taken[static_cast<std::size_t>(child.page)] = true;
    std::int64_t page = 1;
    while (taken[static_cast<std::size_t>(page)]) ++page;
    return page;
  }

  static void erase_in(OrderedPage& page, std::string_view from,
                       std::optional<std::string_view> to) {
    const std::size_t begin = page.lower_bound(from);
    const std::size_t end = to ? page.lower_bound(*to) : page.size();
    if (begin < end) page.erase(begin, end);
  }

  bool scan_page(std::size_t row, const OrderedPage& page, std::string_view from,
                 std::optional<std::string_view> to, const Visitor& visit) {
    for (std::size_t i = page.lower_bound(from); i < page.size(); ++i) {
      if (to && page.key(i) >= *to) return false;
      if (expired(page.stamp(i))) continue;
      if (renews_on_read())
        const_cast<OrderedPage&>(page).set_stamp(i,
                                                 std::max(page.stamp(i), heads_.touch_time(row)));
      if (!visit(page.key(i), page.value(i))) return false;
    }
    return true;
  }

  KeyedStateBackend& backend_;
  TimeToLive ttl_;
  KeyedTable& pages_;
  BatchedEntries heads_;
  const KeyBatch* keys_ = nullptr;
};

}  // namespace

std::vector<TableDescriptor> ordered_table_descriptors(const OrderedTableDescriptor& table) {
  return {describe(table, ""), describe(table, "/pages")};
}

std::unique_ptr<OrderedTable> open_ordered_table(KeyedStateBackend& backend,
                                                 const OrderedTableDescriptor& table) {
  return std::make_unique<PagedTable>(backend, table);
}

}  // namespace tidemark
