// Prints Figure 9 and Table 2 of Eunomia (Mahmood et al.) as CSV, from engines that packets are
// given to; the last column of the summaries is what the paper has.
//   horae_eunomia_memory [figure9|crossover|table2|parts]   (all of them without an argument)
#include "eunomia_memory.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

namespace horae::validate {
namespace {

void figure9() {
  fmt::print("count,degree,share,eunomia_bytes,static_bytes\n");
  const auto line = [](Count count, std::string_view degree, std::uint32_t share,
                       const std::vector<std::uint32_t>& over) {
    fmt::print("{},{},{},{:.2f},{:.2f}\n", name(count), degree, share,
               mean(eunomia_bytes, count, share, over), mean(static_bytes, count, share, over));
  };
  for (const Count count : all_counts) {
    for (std::uint32_t share = 0; share <= 100; share += Figure9::share_step) {
      line(count, "mean", share, degrees());
    }
    for (const std::uint32_t degree : degrees()) {
      for (std::uint32_t share = 0; share <= 100; share += Figure9::share_step) {
        line(count, std::to_string(degree), share, {degree});
      }
    }
  }
}

void crossovers() {
  fmt::print("count,degree,share,published\n");
  for (const Count count : {Count::section_4, Count::all}) {
    // Section 4: "as the OOO percentages exceed 60%".
    fmt::print("{},mean,{:.1f},60\n", name(count), crossover(count, degrees()));
    for (const std::uint32_t degree : degrees()) {
      fmt::print("{},{},{:.1f},\n", name(count), degree, crossover(count, {degree}));
    }
  }
}

void table2() {
  fmt::print("engine,bitmap,other,least,most,packets,published_bitmap,published_other\n");
  struct Published {
    std::string_view engine, bitmap, other;
  };
  for (const Published& p : {Published{"irn", "125", "20"}, Published{"mp_rdma", "17", "49"},
                             Published{"eunomia", "4-82", "0"}, Published{"static", "32", "9"}}) {
    const Table2Row row = table2_row(p.engine);
    fmt::print("{},{},{},{},{},{},{},{}\n", row.engine, row.most.bitmap.count(),
               (row.most.total() - row.most.bitmap).count(), row.least.total().count(),
               row.most.total().count(), row.packets, p.bitmap, p.other);
  }
}

void parts() {
  const Table2Parts p = eunomia_parts();
  const auto line = [](std::string_view what, Bytes bytes, std::string_view published) {
    fmt::print("{},{},{}\n", what, bytes.count(), published);
  };
  fmt::print("eunomia_most,bytes,published\n");
  line("variables", p.variables, "16 (3.4)");
  line("addresses of blocks", p.addresses, "34 (3.4); 32 by section 4's 24 blocks of metadata");
  line("bitmap", p.bitmap, "32");
  line("index row", p.index_row, "3 (4)");
  line("DBA", p.dba, "4 (3.4)");
  line("variables + addresses", p.variables + p.addresses, "50 (3.4); 48 (4)");
  line("variables + addresses + bitmap", p.variables + p.addresses + p.bitmap, "82 (Table 2)");
  line("all", p.variables + p.addresses + p.bitmap + p.index_row + p.dba, "");
}

int run(std::string_view what) {
  struct Part {
    std::string_view name;
    void (*print)();
  };
  bool found = false;
  for (const Part& part : {Part{"figure9", figure9}, Part{"crossover", crossovers},
                           Part{"table2", table2}, Part{"parts", parts}}) {
    if (!what.empty() && what != part.name) continue;
    if (found) fmt::print("\n");
    found = true;
    part.print();
  }
  if (found) return 0;
  fmt::print(stderr, "horae_eunomia_memory: unknown '{}'{}\n", what,
             suggestion(std::string(what), {"figure9", "crossover", "table2", "parts"}));
  return 2;
}

}  // namespace
}  // namespace horae::validate

int main(int argc, char** argv) {
  if (argc > 2) {
    fmt::print(stderr, "usage: horae_eunomia_memory [figure9|crossover|table2|parts]\n");
    return 2;
  }
  return horae::validate::run(argc == 2 ? argv[1] : "");
}
