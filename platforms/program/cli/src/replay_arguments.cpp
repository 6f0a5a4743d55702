#include "replay_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>

#include "horae/core/error.hpp"

namespace horae::cli {
namespace {

/// TRACE, or TRACE@PORT.
replay::ReplayInput input_of(const std::string& text, const std::optional<std::string>& port) {
  if (port && std::filesystem::exists(text)) return {text, *port, {}};
  const auto at = text.rfind('@');
  if (at != std::string::npos) return {text.substr(0, at), text.substr(at + 1), {}};
  if (port) return {text, *port, {}};
  throw InputError(
      fmt::format("{}: no ingress port; expected --port PORT, or {}@PORT", text, text));
}

/// A decimal number in millionths, without the help of floating-point arithmetic.
std::int64_t millionths(const std::string& text) {
  constexpr std::size_t digits = 6;
  const auto point = std::min(text.find('.'), text.size());
  std::string whole = text.substr(0, point);
  std::string fraction = point < text.size() ? text.substr(point + 1) : "";
  const auto bad = [](const std::string& s) {
    return s.find_first_not_of("0123456789") != std::string::npos;
  };
  if (whole.empty() || whole.size() > digits || fraction.size() > digits || bad(whole) ||
      bad(fraction)) {
    throw InputError(fmt::format(
        "--scale {}: expected a number from 0.000001 to 999999, with at most six decimals", text));
  }
  fraction.resize(digits, '0');
  const std::int64_t value = std::stoll(whole + fraction);
  if (value == 0) throw InputError(fmt::format("--scale {}: expected more than 0", text));
  return value;
}

std::uint64_t limit_of(const std::string& text) {
  const bool digits = !text.empty() && text.size() < 19 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  const std::uint64_t limit = digits ? std::stoull(text) : 0;
  if (limit != 0) return limit;
  throw InputError(fmt::format("--limit {}: expected a number of packets, 1 or more", text));
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

/// One filter for all traces, or one for each in their order.
void set_filters(std::vector<replay::ReplayInput>& inputs,
                 const std::vector<std::string>& filters) {
  if (filters.size() > 1 && filters.size() != inputs.size()) {
    throw InputError(fmt::format(
        "--filter: {} filters for {} trace{}; expected one for all, or one for each in the order "
        "of the traces (\"\": everything)",
        filters.size(), inputs.size(), inputs.size() == 1 ? "" : "s"));
  }
  for (std::size_t i = 0; i < inputs.size() && !filters.empty(); ++i)
    inputs[i].filter = filters[filters.size() == 1 ? 0 : i];
}

}  // namespace

replay::ReplayOptions options_of(const ReplayArguments& o) {
  replay::ReplayOptions replay = o.replay;
  for (const auto& trace : o.traces) replay.inputs.push_back(input_of(trace, o.port));
  set_filters(replay.inputs, o.filters);
  if (o.scale) replay.pace.scale = millionths(*o.scale);
  if (o.scale && replay.pace.back_to_back)
    throw InputError("--scale: times do not matter with --back-to-back; expected one of them");
  const std::map<std::string, replay::UnknownAddress> ways = {
      {"spread", replay::UnknownAddress::spread},
      {"drop", replay::UnknownAddress::drop},
      {"refuse", replay::UnknownAddress::refuse}};
  if (o.unknown) {
    const auto way = ways.find(*o.unknown);
    if (way == ways.end()) {
      throw InputError(fmt::format("--unknown {}: no such way{}", *o.unknown,
                                   suggestion(*o.unknown, {"spread", "drop", "refuse"})));
    }
    replay.unknown = way->second;
    replay.unknown_chosen = true;
  }
  if (o.limit) replay.limit = limit_of(*o.limit);
  replay.registers = listed(o.registers);
  replay.packets = !o.no_packets;
  replay.ports = !o.no_ports;
  replay.progress = !o.no_progress;
  return replay;
}

void keep_inputs(const std::string& out, const std::string& platform,
                 const replay::ReplayOptions& options) {
  namespace fs = std::filesystem;
  std::vector<std::string> inputs = {platform};
  for (const auto& input : options.inputs) inputs.push_back(input.trace);
  if (options.connections != "learn" && options.connections != "none")
    inputs.push_back(options.connections);
  const auto real = [](const fs::path& path) {
    std::error_code error;
    const fs::path found = fs::weakly_canonical(path, error);
    return error ? fs::absolute(path, error).lexically_normal() : found;
  };
  fs::path folder = real(out);
  if (!folder.has_filename()) folder = folder.parent_path();  // "out/x/"
  for (const auto& input : inputs) {
    const fs::path file = real(input);
    if (std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first != folder.end())
      continue;
    throw InputError(fmt::format(
        "--out {}: would replace {}, which is read; expected another folder", out, input));
  }
}

}  // namespace horae::cli
