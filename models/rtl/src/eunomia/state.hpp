// The state of Eunomia's engine in the one form in which model and hardware are compared.
#pragma once

#include <string>
#include <vector>

#include "horae/policy/ordering/eunomia.hpp"
#include "horae/rtl/eunomia_top.hpp"

namespace horae::rtl {

struct EunomiaState {
  std::vector<std::uint16_t> master_array;
  std::vector<std::uint64_t> block_alloc_bitmap;  ///< 64 words of the array each
  std::vector<EunomiaRow> metadata_start_index;
  std::vector<EunomiaConnection> connections;

  bool allocated(std::uint32_t address) const {
    return (block_alloc_bitmap[address / 64] >> (address % 64) & 1) != 0;
  }
};

EunomiaState state_of(const policy::EunomiaEngine& model, const EunomiaShape& shape);
EunomiaState state_of(const EunomiaTop& rtl, const EunomiaShape& shape);

/// The first difference in one line, empty when there is none. What is not in use is not compared:
/// words that are not allocated, rows that are not valid, what is expected of unknown connections.
std::string difference(const EunomiaState& model, const EunomiaState& rtl);

/// Everything in use, a line each.
std::string text(const EunomiaState& state, const EunomiaShape& shape);

/// "connection 3: expected 17 in the model, 18 in the RTL", or empty.
std::string difference(std::uint32_t connection, const EunomiaConnection& model,
                       const EunomiaConnection& rtl);
EunomiaConnection connection_of(const policy::EunomiaEngine& model, std::uint32_t id);

}  // namespace horae::rtl
