// Expectations of a script for a port, and the packets that came.
#pragma once

#include <cstddef>
#include <string>

#include "horae/p4prog/machine.hpp"

namespace horae::p4prog {

struct StfExpected {
  std::size_t line = 0;
  std::string digits;  ///< as written: hex and *, and a byte's bits behind a dot
  bool whole = false;  ///< nothing may follow
  bool any = false;    ///< no bytes were given
};
struct StfCame {
  std::size_t line = 0;  ///< of the packet that it comes of
  Bytes8 bytes;
};

std::string hex(const Bytes8& bytes);
/// Whether the hexadecimal digits `came` are what is expected.
bool matches(const StfExpected& e, const std::string& came);

}  // namespace horae::p4prog
