#include "horae/replay/connections.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/heading.hpp"
#include "horae/replay/addresses.hpp"
#include "horae/traffic/list_lines.hpp"

namespace horae::replay {
namespace {

struct ConnectionColumn {
  std::string_view name;
  std::uint32_t most;  ///< of a number; 0: a node
};
constexpr std::array<ConnectionColumn, 6> columns = {{{"sender", 0},
                                                      {"receiver", 0},
                                                      {"sender_qp", 0xffffff},
                                                      {"receiver_qp", 0xffffff},
                                                      {"entropy", 0xffff},
                                                      {"first_psn", 0xffffff}}};

/// Reads one file; every error of it has a place.
class ConnectionFile {
 public:
  ConnectionFile(const std::string& path, const fabric::Topology& topology)
      : path_(path), topology_(topology), lines_(opened(path), "a list of connections") {}

  ReplayConnections read() {
    if (!lines_.next()) throw lines_.error_at(1, "an empty file; expected a line of column names");
    read_header();
    ReplayConnections connections;
    while (lines_.next()) connections.list.push_back(connection());
    return connections;
  }

 private:
  static const std::string& opened(const std::string& path) {
    if (std::filesystem::is_directory(path))
      throw InputError(fmt::format("--connections {}: is a folder; expected a file", path));
    return path;
  }

  void read_header() {
    std::vector<std::string_view> names;
    for (const ConnectionColumn& c : columns) names.push_back(c.name);
    std::vector<HeadingCell> heading;
    for (const auto& cell : lines_.cells(','))
      heading.push_back({std::string(cell.text), cell.column});
    place_ = columns_of(heading, names, 0, [&](std::uint32_t column, const std::string& message) {
      throw lines_.error(column, message);
    });
  }

  std::uint32_t number(const traffic::Word& cell, const ConnectionColumn& column) const {
    const bool hex = cell.text.starts_with("0x");
    const std::string digits(cell.text.substr(hex ? 2 : 0));
    const char* const known = hex ? "0123456789abcdefABCDEF" : "0123456789";
    if (!digits.empty() && digits.size() < 9 &&
        digits.find_first_not_of(known) == std::string::npos) {
      const unsigned long value = std::stoul(digits, nullptr, hex ? 16 : 10);
      if (value <= column.most) return static_cast<std::uint32_t>(value);
    }
    throw lines_.error(cell.column, fmt::format("{} = '{}'; expected a number from 0 to {}",
                                                column.name, cell.text, column.most));
  }

  programs::Connection connection() {
    const auto& cells = lines_.cells(',');
    if (cells.size() != columns.size())
      throw lines_.error(1, fmt::format("{} columns; expected {}", cells.size(), columns.size()));
    const auto node = [&](std::size_t c) {
      const traffic::Word& found = cells[place_[c]];
      return node_named(
          topology_, std::string(found.text),
          fmt::format("{}:{}:{}: {}", path_, lines_.line(), found.column, columns[c].name));
    };
    const auto value = [&](std::size_t c) { return number(cells[place_[c]], columns[c]); };
    programs::Connection c;
    c.sender = node(0);
    c.receiver = node(1);
    c.sender_qp = Qpn(value(2));
    c.receiver_qp = Qpn(value(3));
    c.entropy = static_cast<std::uint16_t>(value(4));
    c.first_psn = Psn(value(5));
    return c;
  }

  std::string path_;
  const fabric::Topology& topology_;
  traffic::ListLines lines_;
  std::vector<std::size_t> place_;  ///< of each column in a line
};

}  // namespace

ReplayConnections read_connections(const std::string& path, const fabric::Topology& topology) {
  return ConnectionFile(path, topology).read();
}

std::string connections_csv(const ReplayConnections& connections,
                            const fabric::Topology& topology) {
  std::vector<std::string> names;
  for (const auto& v : topology.vertices()) {
    if (v.node != fabric::Topology::no_node) names.push_back(v.name);  // nodes are in this order
  }
  std::string csv = "sender,receiver,sender_qp,receiver_qp,entropy,first_psn\n";
  const auto name = [&](NodeId node) {
    return node < names.size() ? names[node] : std::to_string(node);
  };
  for (const auto& c : connections.list) {
    csv += fmt::format("{},{},{:#x},{:#x},{},{}\n", name(c.sender), name(c.receiver),
                       c.sender_qp.value(), c.receiver_qp.value(), c.entropy, c.first_psn.value());
  }
  return csv;
}

}  // namespace horae::replay
