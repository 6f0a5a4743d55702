// Shared by tests of the host interface and of host memory.
#pragma once

#include <cstddef>
#include <numeric>
#include <systemc>
#include <vector>

#include "horae/rnic/host/host_interface.hpp"

namespace horae::test {

using rnic::host_interface;
using rnic::host_memory;
using rnic::HostMemoryConfig;

inline void elaborate() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }

inline std::vector<unsigned char> counting(std::size_t n, unsigned char from = 1) {
  std::vector<unsigned char> out(n);
  std::iota(out.begin(), out.end(), from);
  return out;
}

}  // namespace horae::test
