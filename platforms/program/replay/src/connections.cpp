#include "horae/replay/connections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <istream>
#include <string_view>

#include "horae/core/error.hpp"
#include "horae/core/unpacked_file.hpp"
#include "horae/replay/addresses.hpp"

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

/// A cell and its column of text, from 1.
struct Cell {
  std::string text;
  std::size_t at = 1;
};

std::vector<Cell> cells_of(const std::string& line) {
  std::vector<Cell> cells;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    cells.push_back({line.substr(begin, end - begin), begin + 1});
    if (end == line.size()) return cells;
    begin = end + 1;
  }
}

/// Reads one file; every error of it has a place.
class ConnectionFile {
 public:
  ConnectionFile(const std::string& path, const fabric::Topology& topology)
      : path_(path), topology_(topology), bytes_(opened(path)) {
    in_.exceptions(std::ios::badbit);  // what is wrong with the file is said by `bytes_`
  }

  ReplayConnections read() {
    if (!next_line()) throw error(1, "an empty file; expected a line of column names");
    read_header();
    ReplayConnections connections;
    while (next_line()) {
      if (line_.empty()) continue;
      connections.list.push_back(connection());
    }
    return connections;
  }

 private:
  static const std::string& opened(const std::string& path) {
    if (std::filesystem::is_directory(path))
      throw InputError(fmt::format("--connections {}: is a folder; expected a file", path));
    return path;
  }

  bool next_line() {
    if (!std::getline(in_, line_)) return false;
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    ++number_;
    return true;
  }

  InputError error(std::size_t at, const std::string& message) const {
    return InputError(fmt::format("{}:{}:{}: {}", path_, std::max(number_, 1), at, message));
  }

  void read_header() {
    std::vector<std::string> names;
    for (const ConnectionColumn& c : columns) names.emplace_back(c.name);
    const auto header = cells_of(line_);
    for (std::size_t i = 0; i < header.size(); ++i) {
      const auto it = std::find(names.begin(), names.end(), header[i].text);
      if (it == names.end()) {
        throw error(header[i].at, fmt::format("no column '{}'{}", header[i].text,
                                              suggestion(header[i].text, names)));
      }
      int& place = place_[static_cast<std::size_t>(it - names.begin())];
      if (place >= 0)
        throw error(header[i].at, fmt::format("the column '{}' again; expected each once", *it));
      place = static_cast<int>(i);
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (place_[c] < 0) throw error(1, fmt::format("the column '{}' is missing", names[c]));
    }
    width_ = header.size();
  }

  std::uint32_t number(const Cell& cell, const ConnectionColumn& column) const {
    const bool hex = cell.text.starts_with("0x");
    const std::string digits = cell.text.substr(hex ? 2 : 0);
    const char* const known = hex ? "0123456789abcdefABCDEF" : "0123456789";
    if (!digits.empty() && digits.size() < 9 &&
        digits.find_first_not_of(known) == std::string::npos) {
      const unsigned long value = std::stoul(digits, nullptr, hex ? 16 : 10);
      if (value <= column.most) return static_cast<std::uint32_t>(value);
    }
    throw error(cell.at, fmt::format("{} = '{}'; expected a number from 0 to {}", column.name,
                                     cell.text, column.most));
  }

  programs::Connection connection() const {
    const auto cells = cells_of(line_);
    if (cells.size() != width_)
      throw error(1, fmt::format("{} columns; expected {}", cells.size(), width_));
    const auto cell = [&](std::size_t c) { return cells[static_cast<std::size_t>(place_[c])]; };
    const auto node = [&](std::size_t c) {
      const Cell found = cell(c);
      return node_named(topology_, found.text,
                        fmt::format("{}:{}:{}: {}", path_, number_, found.at, columns[c].name));
    };
    const auto value = [&](std::size_t c) { return number(cell(c), columns[c]); };
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
  UnpackedBuffer bytes_;
  std::istream in_{&bytes_};
  std::string line_;
  int number_ = 0;
  std::array<int, columns.size()> place_ = {-1, -1, -1, -1, -1, -1};
  std::size_t width_ = 0;
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
