// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/cast.h"

#include <fmt/format.h>

#include "tidemark/expr/function.h"
#include "tidemark/expr/type_rules.h"
#include "tidemark/expr/utf8.h"

namespace tidemark {
namespace {

// A bare NULL as any type.
class NullCast final : public Kernel {
 public:
  ColumnPtr run(Invocation& call) override { return all_null(call.result, call.rows); }
  bool eager() const override { return true; }
};

// VARCHAR(n) and CHAR(n) keep n characters, VARBINARY(n) n bytes.
class LimitedCast final : public Kernel {
 public:
  LimitedCast(KernelPtr cast, std::size_t length, bool characters)
      : cast_(std::move(cast)), length_(length), characters_(characters) {}

  ColumnPtr run(Invocation& call) override {
    const ColumnPtr whole = cast_->run(call);
    ColumnBuilder builder(call.result);
    builder.reserve(call.rows);
    for (std::size_t i = 0; i < call.rows; ++i) {
      if (whole->is_null(i)) {
        builder.append_null();
        continue;
      }
      const std::string_view text = whole->string(i);
      const std::size_t bytes = characters_ ? utf8_offset(text, length_) : length_;
      builder.append_string(text.substr(0, bytes));
    }
    return builder.finish();
  }

 private:
  KernelPtr cast_;
  std::size_t length_;
  bool characters_;
};

KernelPtr make_plain_cast(const DataType& from, const DataType& to) {
  if (from.kind == TypeKind::kNull) return std::make_unique<NullCast>();
  if (to.kind == TypeKind::kString) return make_text_cast(from);
  if (from.kind == TypeKind::kString) return make_parsing_cast(to);
  if (from.kind == TypeKind::kBytes) return make_text_cast(DataType::string());
  if (is_temporal(from.kind) && is_temporal(to.kind)) return make_temporal_cast(from, to);
  return make_number_cast(from, to);
}

}  // namespace

Result<KernelPtr> make_cast_kernel(const DataType& from, const DataType& to) {
  if (!can_cast(from.kind, to.kind))
    return Error{ErrorCode::kInvalidSql,
                 fmt::format("{} cannot be cast to {}", to_string(from), to_string(to))};
  KernelPtr cast = make_plain_cast(from, to);
  if (is_variable_width(to.kind) && to.length > 0)
    cast = std::make_unique<LimitedCast>(std::move(cast), to.length, to.kind == TypeKind::kString);
  return cast;
}

}  // namespace tidemark
