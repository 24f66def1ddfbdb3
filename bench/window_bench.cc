// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.h"
#include "bench/window_loops.h"

using namespace tidemark;
using namespace tidemark::bench;
namespace {
Contender loop_contender(std::string name, const KeyStream& s, std::shared_ptr<WindowLoop> loop) {
  return {name, [&s, loop] {
            for (std::size_t i = 0; i < s.batches().size(); ++i) {
              loop->process(*s.batches()[i]);
              loop->on_watermark(s.watermarks()[i]);
            }
            return loop->take_checksum();
          }};
}
}  // namespace
int main(int argc, char** argv) {
  Bench bench("window", argc, argv);
  for (KeyKind kind : {KeyKind::kFixed, KeyKind::kNullable, KeyKind::kString})
    for (std::size_t keys : {1000, 100000, 10000000})
      for (bool zipf : {false, true}) {
        std::string name =
            std::to_string(keys) + (zipf ? " zipf " : " uniform ") + std::to_string((int)kind);
        if (!bench.wants(name)) continue;
        KeyStreamOptions o{
            .rows = bench.size(10'000'000, 20'000), .keys = keys, .zipf = zipf, .kind = kind};
        KeyStream s(o);
        Race race{name,
                  o.rows,
                  0,
                  [&, first = true]() mutable {
                    if (!first) s.advance();
                    first = false;
                  },
                  {loop_contender("row loop", s, make_row_loop(kind)),
                   loop_contender("columnar loop", s, make_columnar_loop(kind))},
                  {}};
        bench.run(race);
      }
  return bench.finish();
}
