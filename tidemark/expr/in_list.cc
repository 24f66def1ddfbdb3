// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/in_list.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <string>
#include <vector>

#include "tidemark/base/hash.h"

namespace tidemark {
namespace {

constexpr std::size_t kShortList = 8;

struct MemberHash {
  using is_transparent = void;
  using is_avalanching = void;
  std::size_t operator()(std::string_view text) const { return stable_hash(text); }
  template <typename T>
  requires(!std::is_convertible_v<T, std::string_view>) std::size_t operator()(
      const T& value) const {
    // Zero and minus zero are equal, so they must hash alike.
    const T key = value == T{} ? T{} : value;
    return stable_hash({reinterpret_cast<const char*>(&key), sizeof(key)});
  }
};

template <typename T>
struct Member {
  using type = T;
};
template <>
struct Member<std::string_view> {
  using type = std::string;  // the column that a view points into may go away
};

template <typename T>
class InKernel final : public Kernel {
 public:
  ColumnPtr run(Invocation& call) override {
    if (!built_) build(call.arguments.subspan(1));
    const Vector& needle = call.arguments[0];
    const Values<T> values(needle);
    Buffer result(call.rows);
    auto* out = result.as<std::uint8_t>();
    if (list_.size() <= kShortList) {
      compare_all(values, call.rows, out);
    } else {
      for (std::size_t i = 0; i < call.rows; ++i)
        out[i] = set_.find(values[i]) != set_.end() ? 1 : 0;
    }
    mark_nulls(call, needle, out);
    return call.finish(std::move(result));
  }
  bool strict() const override { return false; }
  bool eager() const override { return true; }

 private:
  using Stored = typename Member<T>::type;

  void build(std::span<const Vector> members) {
    for (const Vector& member : members) {
      if (member.is_null(0)) {
        has_null_ = true;
      } else {
        list_.emplace_back(Values<T>(member)[0]);
      }
    }
    if (list_.size() > kShortList) set_.insert(list_.begin(), list_.end());
    built_ = true;
  }

  // A member at a time, so that the inner loop is one comparison with a scalar.
  void compare_all(Values<T> values, std::size_t rows, std::uint8_t* out) const {
    std::fill_n(out, rows, std::uint8_t{0});
    for (const Stored& member : list_) {
      const T wanted = member;
      for (std::size_t i = 0; i < rows; ++i)
        out[i] = static_cast<std::uint8_t>(out[i] | (values[i] == wanted ? 1 : 0));
    }
  }

  void mark_nulls(Invocation& call, const Vector& needle, const std::uint8_t* found) const {
    if (!has_null_ && !needle.column->has_nulls()) return;
    for (std::size_t i = 0; i < call.rows; ++i)
      if (needle.is_null(i) || (has_null_ && found[i] == 0)) call.validity.set_null(i);
  }

  bool built_ = false;
  bool has_null_ = false;
  std::vector<Stored> list_;
  boost::unordered_flat_set<Stored, MemberHash, std::equal_to<>> set_;
};

}  // namespace

Result<KernelPtr> make_in_kernel(const CallSite& site) {
  const TypeKind kind = site.arguments[0].kind;
  if (is_variable_width(kind)) return KernelPtr(std::make_unique<InKernel<std::string_view>>());
  return visit_physical(kind, [](auto zero) -> Result<KernelPtr> {
    return KernelPtr(std::make_unique<InKernel<decltype(zero)>>());
  });
}

}  // namespace tidemark
