// Memory of ordering engines on the chip while packets of some connections are out of order:
// Figure 9 and Table 2 of Eunomia (Mahmood et al.), from engines that packets are given to.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/policy/ordering/eunomia.hpp"
#include "horae/policy/ordering/ordering.hpp"

namespace horae::validate {

/// The experiment of Eunomia's section 4; its sizes are the defaults of OrderingConfig.
struct Figure9 {
  static constexpr std::uint32_t connections = 20;
  static constexpr std::uint32_t share_step = 5;  ///< percent: one connection
  static constexpr std::uint32_t degree_step = 10;
};

/// Ways of counting Eunomia. The paper counts differently in different places.
enum class Count : std::uint8_t {
  bitmap,     ///< bitmap blocks: Figure 9a
  section_4,  ///< and 48 B of metadata per connection that reorders: Figure 9b
  all,        ///< and the 3 B of its row of the index, and 4 B of DBA per open connection
};
inline constexpr Count all_counts[] = {Count::bitmap, Count::section_4, Count::all};
inline std::string_view name(Count count) {
  constexpr std::string_view names[] = {"bitmap", "section 4", "all"};
  return names[static_cast<int>(count)];
}

inline policy::OrderingConfig ordering(std::string_view engine) {
  policy::OrderingConfig config;
  config.engine = engine;
  return config;
}

/// Opens a connection with `packets` packets. Of one that reorders the first one is missing, so its
/// bitmap has to cover `packets`.
inline void open(policy::OrderingEngine& engine, policy::ConnectionId id, std::uint32_t packets,
                 bool reorders) {
  for (std::uint32_t i = reorders ? 1 : 0; i < packets; ++i) {
    const policy::OrderingAnswer answer =
        engine.on_packet({.connection = id, .psn = Psn(i), .head = Psn(0), .last = false});
    if (answer.tracking !=
        (reorders ? policy::Tracking::out_of_order : policy::Tracking::in_order)) {
      throw ModelError("a packet within reach is not tracked");
    }
  }
}

/// Bytes per connection: `share` percent of the connections reorder over `degree` percent of the
/// bits that a bitmap can have.
inline double eunomia_bytes(Count count, std::uint32_t share, std::uint32_t degree) {
  const policy::OrderingConfig config = ordering("eunomia");
  policy::EunomiaEngine engine(config.parameters);
  const std::uint32_t packets =
      (config.parameters.of<policy::BitmapReach>().bits * degree + 99) / 100;
  for (std::uint32_t id = 0; id < Figure9::connections; ++id) {
    open(engine, id, packets, id * 100 < share * Figure9::connections);
  }
  const policy::OrderingMemory memory = engine.memory();
  const Bytes index =
      std::int64_t{engine.controller().rows_in_use()} * policy::MemoryController::index_row_size;
  Bytes sum = memory.bitmap;
  if (count == Count::section_4) sum += memory.metadata - index;
  if (count == Count::all) sum += memory.metadata + memory.fixed;
  return static_cast<double>(sum.count()) / Figure9::connections;
}

/// The same of bitmaps of one size: its bits, or all of it.
inline double static_bytes(Count count, std::uint32_t share, std::uint32_t degree) {
  const policy::OrderingConfig config = ordering("static");
  const auto engine = policy::make_ordering_engine(config);
  const std::uint32_t packets =
      (config.parameters.of<policy::BitmapReach>().bits * degree + 99) / 100;
  for (std::uint32_t id = 0; id < Figure9::connections; ++id) {
    open(*engine, id, packets, id * 100 < share * Figure9::connections);
  }
  const policy::OrderingMemory memory = engine->memory();
  const Bytes sum = count == Count::bitmap ? memory.bitmap : memory.total();
  return static_cast<double>(sum.count()) / Figure9::connections;
}

/// The degrees of the experiment.
inline std::vector<std::uint32_t> degrees() {
  std::vector<std::uint32_t> all;
  for (std::uint32_t d = Figure9::degree_step; d <= 100; d += Figure9::degree_step) {
    all.push_back(d);
  }
  return all;
}

/// Mean of a function of share and degree over degrees.
template <class Bytes>
double mean(Bytes bytes, Count count, std::uint32_t share, const std::vector<std::uint32_t>& over) {
  double sum = 0;
  for (const std::uint32_t d : over) sum += bytes(count, share, d);
  return sum / static_cast<double>(over.size());
}

/// Percent of connections that reorder from which on Eunomia takes more than the static bitmaps,
/// in the mean over `over`; between two steps of the share on the straight line. Above 100: never.
inline double crossover(Count count, const std::vector<std::uint32_t>& over) {
  double before = 0;
  for (std::uint32_t share = 0; share <= 100; share += Figure9::share_step) {
    const double more =
        mean(eunomia_bytes, count, share, over) - mean(static_bytes, count, share, over);
    if (more > 0) {
      return share - Figure9::share_step * more / (more - before);
    }
    before = more;
  }
  return 101;
}

/// A row of Table 2: bytes per connection, least (all packets in order) and most.
struct Table2Row {
  std::string_view engine;
  policy::OrderingMemory least;
  policy::OrderingMemory most;
  std::uint32_t packets = 0;  ///< that the bitmap covers, the expected one among them
};

inline Table2Row table2_row(std::string_view name) {
  const auto engine = policy::make_ordering_engine(ordering(name));
  Table2Row row{name, {}, {}, 1};
  open(*engine, 0, 1, false);
  row.least = engine->memory();
  engine->close(0);
  const auto offer = [&](std::uint32_t i) {
    return engine->on_packet({.connection = 0, .psn = Psn(i), .head = Psn(0), .last = false});
  };
  while (offer(row.packets).tracking == policy::Tracking::out_of_order) ++row.packets;
  row.most = engine->memory();
  return row;
}

/// Parts of Eunomia's most.
struct Table2Parts {
  Bytes variables;  ///< Table 1 but for the addresses
  Bytes addresses;  ///< of bitmap blocks
  Bytes bitmap;
  Bytes index_row;
  Bytes dba;
};

inline Table2Parts eunomia_parts() {
  const policy::OrderingConfig config = ordering("eunomia");
  policy::EunomiaEngine engine(config.parameters);
  open(engine, 0, config.parameters.of<policy::BitmapReach>().bits, true);
  const policy::EunomiaLayout& layout = engine.controller().layout();
  const Bytes addresses = Bytes(2 * std::int64_t{layout.max_blocks});
  const policy::OrderingMemory memory = engine.memory();
  return {.variables = memory.metadata - policy::MemoryController::index_row_size - addresses,
          .addresses = addresses,
          .bitmap = memory.bitmap,
          .index_row = policy::MemoryController::index_row_size,
          .dba = memory.fixed};
}

}  // namespace horae::validate
