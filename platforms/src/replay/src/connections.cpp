#include "horae/replay/connections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "horae/core/error.hpp"

namespace horae::replay {
namespace {

struct Column {
  std::string_view name;
  std::uint32_t most;  ///< of a number; 0: a node
};
constexpr std::array<Column, 6> columns = {{{"sender", 0},
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
      : path_(path), topology_(topology), in_(path) {
    if (!in_) throw InputError(fmt::format("--connections {}: cannot be read", path));
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
    for (const Column& c : columns) names.emplace_back(c.name);
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

  std::uint32_t number(const Cell& cell, const Column& column) const {
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
  std::ifstream in_;
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

namespace {
constexpr std::int64_t half_of_psns = 1 << 23;
}

std::size_t ConnectionLearner::Hash::operator()(const Key& k) const {
  std::uint64_t h = (std::uint64_t{k.src} << 32 | k.dst) * 0x9e3779b97f4a7c15ULL ^ k.qp;
  h = (h ^ h >> 29) * 0xc2b2ae3d27d4eb4fULL;
  return h ^ h >> 32;
}

void ConnectionLearner::Range::extend(Psn psn) {
  last += psn - Psn(first + static_cast<std::int32_t>(last & 0xffffff));
  least = std::min(least, last);
  most = std::max(most, last);
}

void ConnectionLearner::see(const Packet& p, Picoseconds at) {
  const bool data = p.opcode <= Opcode::read_request;
  if (!data && p.opcode != Opcode::acknowledge) return;
  const Key key =
      data ? Key{p.src, p.dst, p.dest_qp.value()} : Key{p.dst, p.src, p.dest_qp.value()};
  if (flows_.size() + responses_.size() >= ReplayConnections::most &&
      !(data ? flows_.contains(key) : responses_.contains(key))) {
    too_many_ += data ? 1 : 0;
    return;
  }
  if (data) {
    const auto [it, added] = flows_.try_emplace(key);
    Flow& flow = it->second;
    // Traces are read one after the other; the first packet is the earliest of all.
    if (added || at < flow.at) {
      if (added) flow.range.first = p.psn;
      flow.entropy = p.entropy;
      flow.at = at;
    }
    flow.range.extend(p.psn);
  } else {
    const auto [it, added] = responses_.try_emplace(key);
    if (added) it->second.first = p.psn;
    it->second.extend(p.psn);
  }
}

/// The smallest PSN, for paths reorder; of a flow that goes around, that of the packet seen first.
Psn ConnectionLearner::first_psn(const Range& data) {
  if (data.most - data.least >= half_of_psns) return data.first;
  return data.first + static_cast<std::int32_t>(data.least);
}

/// An acknowledgement names a packet that was sent, a NACK the one that is expected: one further at
/// most. Of a flow that goes around, any.
bool ConnectionLearner::encloses(const Range& data, const Range& responses) {
  if (data.most - data.least >= half_of_psns) return true;
  const std::int64_t offset = responses.first - data.first;
  return offset + responses.least >= data.least - 1 && offset + responses.most <= data.most + 1;
}

ReplayConnections ConnectionLearner::finish() const {
  // Between each two nodes: flows, and QPs that are answered to.
  struct Between {
    std::vector<std::pair<Key, const Flow*>> flows;
    std::vector<std::pair<Key, const Range*>> answered;
  };
  std::map<std::pair<NodeId, NodeId>, Between> pairs;
  for (const auto& [key, flow] : flows_) pairs[{key.src, key.dst}].flows.push_back({key, &flow});
  for (const auto& [key, range] : responses_) {
    const auto it = pairs.find({key.src, key.dst});
    if (it != pairs.end()) it->second.answered.push_back({key, &range});
  }
  struct Learned {
    Picoseconds at;
    Key key;
    programs::Connection connection;
  };
  std::vector<Learned> learned;
  ReplayConnections out;
  out.too_many = too_many_;
  constexpr std::size_t most_compared = 512;  // flows between two nodes; beyond, none is paired
  for (auto& [nodes, between] : pairs) {
    auto& flows = between.flows;
    auto& answered = between.answered;
    const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::sort(flows.begin(), flows.end(), by_key);
    std::sort(answered.begin(), answered.end(), by_key);
    std::vector<std::uint32_t> qp(flows.size(), 0);
    std::vector<bool> paired(answered.size(), false);
    const bool only = flows.size() == 1 && answered.size() == 1;
    bool changed = std::max(flows.size(), answered.size()) <= most_compared;
    while (changed) {
      changed = false;
      for (std::size_t a = 0; a < answered.size(); ++a) {
        if (paired[a]) continue;
        std::size_t candidate = 0, candidates = 0;
        for (std::size_t f = 0; f < flows.size() && candidates < 2; ++f) {
          if (qp[f] != 0 || !(only || encloses(flows[f].second->range, *answered[a].second)))
            continue;
          candidate = f;
          ++candidates;
        }
        if (candidates != 1) continue;
        qp[candidate] = answered[a].first.qp;
        paired[a] = changed = true;
      }
    }
    for (std::size_t f = 0; f < flows.size(); ++f) {
      const auto& [key, flow] = flows[f];
      out.unpaired += qp[f] == 0 ? 1 : 0;
      learned.push_back({flow->at,
                         key,
                         {.sender = key.src,
                          .receiver = key.dst,
                          .sender_qp = Qpn(qp[f]),
                          .receiver_qp = Qpn(key.qp),
                          .entropy = flow->entropy,
                          .first_psn = first_psn(flow->range)}});
    }
  }
  std::sort(learned.begin(), learned.end(), [](const Learned& a, const Learned& b) {
    return std::tie(a.at, a.key) < std::tie(b.at, b.key);
  });
  for (const auto& l : learned) out.list.push_back(l.connection);
  return out;
}

}  // namespace horae::replay
