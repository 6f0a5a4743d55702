#include "horae/config/flow_name.hpp"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"

namespace horae::config {
namespace {

/// A queue pair's number, decimal or 0x...
std::optional<std::uint32_t> read_number(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint32_t n = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, n, hex ? 16 : 10);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return n;
}

}  // namespace

FlowName read_flow_name(const std::string& what, const std::string& text,
                        const PlatformConfig& platform) {
  const auto& vertices = platform.topology.vertices();
  const auto node = [&](const std::string& name) -> std::optional<NodeId> {
    const int i = platform.topology.find(name);
    if (i < 0 || vertices[static_cast<std::size_t>(i)].node == fabric::Topology::no_node)
      return std::nullopt;
    return vertices[static_cast<std::size_t>(i)].node;
  };
  std::string pair = text;
  std::optional<std::uint32_t> qp;
  if (const auto colon = text.rfind(':'); colon != std::string::npos) {
    qp = read_number(std::string_view(text).substr(colon + 1));
    if (!qp) {
      throw InputError(
          fmt::format("{} {}: expected the number of a queue pair behind ':', as in flows.csv",
                      what, printable(text)));
    }
    pair.resize(colon);
  }
  if (const auto src = node(pair); src && !qp) return {*src, std::nullopt, std::nullopt};
  // Names may have hyphens of their own.
  for (auto at = pair.find('-'); at != std::string::npos; at = pair.find('-', at + 1)) {
    const auto src = node(pair.substr(0, at)), dst = node(pair.substr(at + 1));
    if (src && dst) return {*src, *dst, qp};
  }
  std::vector<std::string> names;
  for (const auto& v : vertices) {
    if (v.node != fabric::Topology::no_node) names.push_back(v.name);
  }
  std::string stranger = pair;
  if (const auto at = pair.find('-'); at != std::string::npos)
    stranger = node(pair.substr(0, at)) ? pair.substr(at + 1) : pair.substr(0, at);
  throw InputError(fmt::format("{} {}: expected SRC, SRC-DST or SRC-DST:QP of end points{}", what,
                               printable(text), suggestion(stranger, names)));
}

}  // namespace horae::config
