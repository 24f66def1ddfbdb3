// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>
#include <boost/describe/modifiers.hpp>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/data/batch.h"
#include "tidemark/data/record_field.h"
#include "tidemark/data/schema.h"

// Records: C++ values that are rows of a batch. A record is
//   * a field type by itself (one column, named "value"),
//   * a struct described with BOOST_DESCRIBE_STRUCT, each member a column of its name, or
//   * a std::tuple or std::pair, with columns f0, f1, ...
// A member that is a record of several columns is flattened: its columns are "member.column".

namespace tidemark {

namespace record_detail {

template <typename T>
struct IsTuple : std::false_type {};
template <typename... Ts>
struct IsTuple<std::tuple<Ts...>> : std::true_type {};
template <typename A, typename B>
struct IsTuple<std::pair<A, B>> : std::true_type {};

template <typename T>
concept Described = boost::describe::has_describe_members<T>::value && !std::is_union_v<T>;

template <typename T>
using Descriptors = boost::describe::describe_members<T, boost::describe::mod_any_access |
                                                             boost::describe::mod_inherited>;

template <typename Pointer>
struct PointerTarget;
template <typename Class, typename Member>
struct PointerTarget<Member Class::*> {
  using Type = Member;
};
template <typename Descriptor>
using MemberType = typename PointerTarget<std::remove_cv_t<decltype(Descriptor::pointer)>>::Type;

template <typename T>
struct MembersOf;
template <Described T>
struct MembersOf<T> {
  using List = boost::mp11::mp_rename<boost::mp11::mp_transform<MemberType, Descriptors<T>>,
                                      boost::mp11::mp_list>;
};
template <typename T>
requires IsTuple<T>::value struct MembersOf<T> {
  using List = boost::mp11::mp_rename<T, boost::mp11::mp_list>;
};

template <typename T>
consteval bool is_record();

template <typename List>
struct AllRecords;
template <typename... Ts>
struct AllRecords<boost::mp11::mp_list<Ts...>> {
  static constexpr bool kValue = sizeof...(Ts) > 0 && (is_record<Ts>() && ...);
};

template <typename T>
consteval bool is_record() {
  if constexpr (FieldType<T>) {
    return true;
  } else if constexpr (Described<T> || IsTuple<T>::value) {
    return std::is_default_constructible_v<T> && AllRecords<typename MembersOf<T>::List>::kValue;
  } else {
    return false;
  }
}

}  // namespace record_detail

/// A type whose values can be rows of a batch.
template <typename T>
concept Record = record_detail::is_record<T>();

namespace record_detail {

// The message of a type that is no record. `Struct` and `Member` stand in the compiler's
// "In instantiation of" line, so that it names the offending member.
template <typename Struct, typename Member>
struct CheckMember {
  static_assert(
      is_record<Member>(),
      "this member cannot be a column: fields of a record are bool, std::int8_t to "
      "std::int64_t, float, double, std::string, std::string_view, "
      "std::chrono::sys_time<milliseconds>, std::chrono::local_time<milliseconds>, enums, "
      "std::optional of these, and described structs");
  static constexpr bool kOk = is_record<Member>();
};

template <typename Struct, typename List>
struct CheckMembers;
template <typename Struct, typename... Members>
struct CheckMembers<Struct, boost::mp11::mp_list<Members...>> {
  static constexpr bool kOk = (CheckMember<Struct, Members>::kOk && ...);
};

template <typename T>
consteval bool check_record() {
  if constexpr (FieldType<T>) {
    return true;
  } else if constexpr (Described<T> || IsTuple<T>::value) {
    static_assert(std::is_default_constructible_v<T>,
                  "a record needs a default constructor: rows are read member by member");
    static_assert(boost::mp11::mp_size<typename MembersOf<T>::List>::value > 0,
                  "a record needs at least one member");
    return CheckMembers<T, typename MembersOf<T>::List>::kOk;
  } else {
    static_assert(is_record<T>(),
                  "this type is no record: describe the struct, right after its definition and in "
                  "its namespace, with BOOST_DESCRIBE_STRUCT(Type, (), (member, ...))");
    return false;
  }
}

}  // namespace record_detail

/// Fails to compile with a message that says what is wrong when T is no Record. Templates that take
/// records from users begin with it: the message of an unsatisfied concept is hard to read.
template <typename T>
consteval void require_record() {
  static_assert(record_detail::check_record<T>());
}

namespace record_detail {

// Name of member i: the described name, or f<i> of a tuple.
template <typename T>
std::string member_name(std::size_t i) {
  if constexpr (Described<T>) {
    std::string name;
    std::size_t at = 0;
    boost::mp11::mp_for_each<Descriptors<T>>([&](auto descriptor) {
      if (at++ == i) name = descriptor.name;
    });
    return name;
  } else {
    return "f" + std::to_string(i);
  }
}

template <std::size_t kIndex, typename T>
decltype(auto) member(T& record) {
  using Bare = std::remove_const_t<T>;
  if constexpr (Described<Bare>) {
    return (record.*boost::mp11::mp_at_c<Descriptors<Bare>, kIndex>::pointer);
  } else {
    return std::get<kIndex>(record);
  }
}

template <typename T>
void append_fields(const std::string& name, std::vector<Field>& out);

template <typename T, typename... Members>
void append_member_fields(const std::string& prefix, std::vector<Field>& out,
                          boost::mp11::mp_list<Members...>) {
  std::size_t i = 0;
  (append_fields<Members>(prefix + member_name<T>(i++), out), ...);
}

// Appends T's columns; `name` is the column's for a field, the prefix without its dot otherwise.
template <typename T>
void append_fields(const std::string& name, std::vector<Field>& out) {
  if constexpr (FieldType<T>) {
    out.push_back({name.empty() ? "value" : name, field_type<T>()});
  } else {
    append_member_fields<T>(name.empty() ? name : name + ".", out, typename MembersOf<T>::List{});
  }
}

template <typename List>
struct CountOf;

template <typename T>
consteval std::size_t count_columns() {
  if constexpr (FieldType<T>) {
    return 1;
  } else {
    return CountOf<typename MembersOf<T>::List>::kValue;
  }
}
template <typename... Ts>
struct CountOf<boost::mp11::mp_list<Ts...>> {
  static constexpr std::size_t kValue = (count_columns<Ts>() + ... + 0);
};

// The readers (or writers) of a record's members, nested as the record is.
template <typename T, template <typename> typename Leaf>
struct Node;

template <typename List, template <typename> typename Leaf>
struct Children;
template <typename... Ts, template <typename> typename Leaf>
struct Children<boost::mp11::mp_list<Ts...>, Leaf> {
  using Type = std::tuple<Node<Ts, Leaf>...>;
};

template <FieldType T, template <typename> typename Leaf>
struct Node<T, Leaf> {
  Leaf<T> leaf;

  template <typename Visitor>
  void visit(Visitor&& visitor) {
    visitor(leaf);
  }
  T get(std::size_t row) const { return leaf.get(row); }
  void put(std::size_t row, const T& value) { leaf.put(row, value); }
};

template <typename T, template <typename> typename Leaf>
struct Node {
  using Members = typename MembersOf<T>::List;
  using Indices = std::make_index_sequence<boost::mp11::mp_size<Members>::value>;
  typename Children<Members, Leaf>::Type children;

  template <typename Visitor>
  void visit(Visitor&& visitor) {
    std::apply([&](auto&... child) { (child.visit(visitor), ...); }, children);
  }
  T get(std::size_t row) const { return get(row, Indices{}); }
  void put(std::size_t row, const T& value) { put(row, value, Indices{}); }

 private:
  template <std::size_t... kIndex>
  T get(std::size_t row, std::index_sequence<kIndex...>) const {
    T record{};
    ((member<kIndex>(record) = std::get<kIndex>(children).get(row)), ...);
    return record;
  }
  template <std::size_t... kIndex>
  void put(std::size_t row, const T& value, std::index_sequence<kIndex...>) {
    (std::get<kIndex>(children).put(row, member<kIndex>(value)), ...);
  }
};

// Where each column of `wanted` is in `actual`, by name. The error names the field and both types;
// `record` is the C++ type's name for people.
Result<std::vector<std::uint32_t>> match_columns(const Schema& wanted, const Schema& actual);

}  // namespace record_detail

/// Number of columns of a record.
template <Record T>
inline constexpr std::size_t kColumnsOf = record_detail::count_columns<T>();

/// The columns of a record, in the order of its members. Made once, shared by all callers.
template <typename T>
const SchemaPtr& schema_of() {
  require_record<T>();
  static const SchemaPtr schema = [] {
    std::vector<Field> fields;
    record_detail::append_fields<T>("", fields);
    return make_schema(std::move(fields));
  }();
  return schema;
}

/// The columns of a record that is itself a member or a part called `name`.
template <typename T>
std::vector<Field> fields_of(const std::string& name) {
  require_record<T>();
  std::vector<Field> fields;
  record_detail::append_fields<T>(name, fields);
  return fields;
}

/// The first column of a described member of T; nullopt when the member is not described.
///   column_of<Reading>(&Reading::sensor)
template <typename T, typename Member, typename Class>
std::optional<std::size_t> column_of(Member Class::*member) {
  require_record<T>();
  std::optional<std::size_t> found;
  std::size_t column = 0;
  boost::mp11::mp_for_each<record_detail::Descriptors<T>>([&](auto descriptor) {
    using Described = record_detail::MemberType<decltype(descriptor)>;
    if constexpr (std::is_same_v<Described, Member>) {
      if (static_cast<Member T::*>(decltype(descriptor)::pointer) == member) found = column;
    }
    column += record_detail::count_columns<Described>();
  });
  return found;
}

/// Reads rows of a batch as records. Raw column pointers are resolved once a batch; row() makes no
/// virtual call, and no allocation but for std::string members. One thread.
template <typename T>
class RecordReader {
 public:
  /// For batches whose first columns are schema_of<T>(), as those of a typed stream.
  RecordReader() {
    for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i] = static_cast<std::uint32_t>(i);
  }
  /// For batches whose record begins at column `first`.
  explicit RecordReader(std::size_t first) : RecordReader() {
    for (std::uint32_t& column : columns_) column += static_cast<std::uint32_t>(first);
  }
  /// For batches of any schema that has T's columns, found by name. An error names the field and
  /// both types: a column may be NOT NULL where the field is optional, but not the reverse.
  static Result<RecordReader> bind(const Schema& schema) {
    TIDEMARK_ASSIGN_OR_RETURN(const std::vector<std::uint32_t> columns,
                              record_detail::match_columns(*schema_of<T>(), schema));
    RecordReader reader;
    for (std::size_t i = 0; i < columns.size(); ++i) reader.columns_[i] = columns[i];
    return reader;
  }

  /// Reads from `batch` until the next call; the batch must live as long.
  void attach(const Batch& batch) noexcept {
    std::size_t i = 0;
    root_.visit([&](auto& leaf) { leaf.attach(batch.column(columns_[i++])); });
  }
  T row(std::size_t row) const { return root_.get(row); }

 private:
  record_detail::Node<T, FieldReader> root_;
  std::array<std::uint32_t, kColumnsOf<T>> columns_;
};

/// Builds batches from records. One thread.
template <typename T>
class RecordWriter {
 public:
  std::size_t rows() const noexcept { return rows_; }

  void reserve(std::size_t rows) {
    if (rows <= capacity_) return;
    root_.visit([&](auto& leaf) { leaf.grow(rows); });
    capacity_ = rows;
  }
  void append(const T& record) {
    if (rows_ == capacity_) [[unlikely]]
      reserve(rows_ < 64 ? 64 : rows_ * 2);
    root_.put(rows_, record);
    ++rows_;
  }

  /// The columns of the rows so far; the writer is empty afterwards.
  std::vector<ColumnPtr> finish_columns() {
    std::vector<ColumnPtr> columns;
    columns.reserve(kColumnsOf<T>);
    root_.visit([&](auto& leaf) { columns.push_back(leaf.finish(rows_)); });
    rows_ = 0;
    capacity_ = 0;
    return columns;
  }
  /// The same as a batch; `event_times` and `row_kinds` as Batch takes them.
  BatchPtr finish(ColumnPtr event_times = nullptr, ColumnPtr row_kinds = nullptr) {
    const std::size_t rows = rows_;
    return std::make_shared<const Batch>(schema_of<T>(), rows, finish_columns(),
                                         std::move(event_times), std::move(row_kinds));
  }

 private:
  record_detail::Node<T, FieldWriter> root_;
  std::size_t rows_ = 0;
  std::size_t capacity_ = 0;
};

/// All rows of a batch whose first columns are schema_of<T>(). For tests and small results.
template <typename T>
std::vector<T> read_records(const Batch& batch) {
  RecordReader<T> reader;
  reader.attach(batch);
  std::vector<T> rows;
  rows.reserve(batch.rows());
  for (std::size_t i = 0; i < batch.rows(); ++i) rows.push_back(reader.row(i));
  return rows;
}

/// A column of event times, as Batch takes it.
ColumnPtr make_time_column(const EventTime* times, std::size_t rows);

}  // namespace tidemark
