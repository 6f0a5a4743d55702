#include "horae/elaboration/memory_table.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace horae::elaboration {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

std::string row(const std::string& what, const std::string& count, const std::string& each,
                std::int64_t bytes) {
  return fmt::format("{:<18} {:>10} {:>12} {:>10.2f}\n", what, count, each,
                     static_cast<double>(bytes) / mebibyte);
}

}  // namespace

std::string memory_text(const MemoryMeter& meter) {
  std::string out =
      fmt::format("{:<18} {:>10} {:>12} {:>10}\n", "part", "count", "bytes each", "MiB");
  std::int64_t sum = 0;
  for (const auto& line : meter.lines()) {
    sum += line.bytes;
    const auto count = static_cast<std::int64_t>(line.count);
    out += row(line.what, count > 0 ? std::to_string(count) : "",
               count > 0 ? std::to_string(line.bytes / count) : "", line.bytes);
  }
  const std::int64_t resident = MemoryMeter::resident();
  out += row("unaccounted", "", "", resident - sum);
  out += row("resident", "", "", resident);
  return out;
}

nlohmann::ordered_json memory_json(const MemoryMeter& meter) {
  auto parts = nlohmann::ordered_json::array();
  for (const auto& line : meter.lines())
    parts.push_back({{"what", line.what}, {"count", line.count}, {"bytes", line.bytes}});
  return {{"schema", 1}, {"parts", parts}, {"resident_bytes", MemoryMeter::resident()}};
}

}  // namespace horae::elaboration
