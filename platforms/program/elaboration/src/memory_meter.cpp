#include "horae/elaboration/memory_meter.hpp"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace horae::elaboration {

std::int64_t MemoryMeter::allocated() {
  const auto info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

std::int64_t MemoryMeter::resident() {
  // The second number of the file: pages.
  std::int64_t whole = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> whole >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

void MemoryMeter::charge(std::string_view what, std::size_t count) {
  const std::int64_t bytes = allocated() - last_;
  auto line = std::find_if(lines_.begin(), lines_.end(),
                           [&](const Line& other) { return other.what == what; });
  if (line == lines_.end()) line = lines_.insert(lines_.end(), {std::string(what), 0, 0});
  line->count += count;
  line->bytes += bytes;
  last_ = allocated();
}

}  // namespace horae::elaboration
