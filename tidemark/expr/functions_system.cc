// SPDX-License-Identifier: Apache-2.0
#include "tidemark/base/random.h"
#include "tidemark/expr/function.h"
#include "tidemark/expr/row_kernel.h"
#include "tidemark/expr/signature.h"

namespace tidemark {
namespace {

// RFC 9562, version 4.
void append_uuid(std::string& out, Random& random) {
  const std::uint64_t high = (random.next() & ~0xf000ull) | 0x4000ull;
  const std::uint64_t low = (random.next() & ~(3ull << 62)) | (2ull << 62);
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
    const std::uint64_t half = i < 16 ? high : low;
    out += "0123456789abcdef"[(half >> (60 - 4 * (i % 16))) & 15];
  }
}

Result<KernelPtr> make_uuid(const CallSite&) {
  return make_row_kernel<Text()>([random = std::optional<Random>()](Row& row) mutable {
    // Another sequence than RAND()'s, which starts from the same seed.
    if (!random) random.emplace(row.context->random_seed ^ 0x75756964ull);
    append_uuid(row.text, *random);
    return Text{};
  });
}

class TypeNameKernel final : public Kernel {
 public:
  explicit TypeNameKernel(std::string name) : name_(std::move(name)) {}
  ColumnPtr run(Invocation& call) override {
    ColumnBuilder builder(call.result);
    for (std::size_t i = 0; i < call.rows; ++i) builder.append_string(name_);
    return builder.finish();
  }
  bool strict() const override { return false; }

 private:
  std::string name_;
};

}  // namespace

void add_system_functions(FunctionTable& table) {
  table.topic("Others");
  table.add({.name = "UUID",
             .signature = "UUID()",
             .summary = "A random UUID (version 4), another for each row.",
             .resolve = takes({}, DataType::string(), ResultNulls::kNever),
             .make = make_uuid,
             .purity = Purity::kRow});
  table.add({.name = "TYPEOF",
             .signature = "TYPEOF(x)",
             .summary = "The name of the argument's type.",
             .resolve = takes({Take::kAnything}, DataType::string(), ResultNulls::kNever),
             .make = [](const CallSite& site) -> Result<KernelPtr> {
               return KernelPtr(std::make_unique<TypeNameKernel>(to_string(site.arguments[0])));
             }});
}

}  // namespace tidemark
