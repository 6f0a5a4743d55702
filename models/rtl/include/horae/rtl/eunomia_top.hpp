// The pins, the clock and the registers of a Verilated eunomia_top, whatever its parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "horae/rtl/ordering_top.hpp"

namespace horae::rtl {

/// Parameters of eunomia_top.sv, fixed when it was built.
struct EunomiaShape {
  std::uint32_t blocks;         ///< two-byte words of the master array
  std::uint32_t block_bits;     ///< bits of a bitmap block
  std::uint32_t cap_bits;       ///< bits of a connection's bitmap at most
  std::uint32_t connections;    ///< that it can know
  std::uint32_t index_entries;  ///< connections with a bitmap at a time
  std::uint32_t search_width;   ///< allocation bits looked at per clock
  std::uint32_t memory;         ///< 0: registers, 1: block RAM
  std::uint32_t port_words;     ///< words per access of the master array
  bool broken = false;          ///< has a fault on purpose: for tests only

  std::uint32_t metadata_words() const { return 8 + cap_bits / block_bits; }
  bool operator==(const EunomiaShape&) const = default;
};

using EunomiaInputs = OrderingInputs;
using EunomiaOutputs = OrderingOutputs;

/// A row of metadata_start_index.
struct EunomiaRow {
  bool valid = false;
  std::uint32_t connection = 0;
  std::uint32_t start = 0;
};

/// The packet driver's registers of a connection.
struct EunomiaConnection {
  bool known = false;
  bool conn_module_valid = false;
  std::uint32_t expected = 0;  ///< means something while known
};

/// One instance.
class EunomiaTop : public OrderingTop {
 public:
  // Registers.
  virtual std::uint16_t master_array(std::uint32_t address) const = 0;
  /// 64 bits of block_alloc_bitmap, from word 64 * `index` on, lowest first.
  virtual std::uint64_t block_alloc_bitmap(std::uint32_t index) const = 0;
  virtual EunomiaRow metadata_start_index(std::uint32_t row) const = 0;
  virtual EunomiaConnection connection(std::uint32_t id) const = 0;
};

/// A variant that was built. `make(seed)`: seed 0 begins with every register 0, any other with
/// random contents, as a chip may power up.
struct EunomiaVariant {
  std::string_view name;
  EunomiaShape shape;
  std::unique_ptr<OrderingTop> (*make)(std::uint32_t seed);  ///< of EunomiaTop
};

/// Those that were built (models/rtl/eunomia/variants.cmake); none in a program without RTL.
const std::vector<const EunomiaVariant*>& eunomia_variants();
/// One by name; an InputError with the nearest name otherwise.
const EunomiaVariant& find_eunomia_variant(std::string_view name);

}  // namespace horae::rtl
