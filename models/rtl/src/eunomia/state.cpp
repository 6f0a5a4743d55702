#include "state.hpp"

#include <fmt/format.h>

namespace horae::rtl {
namespace {

std::string say(const std::string& what, std::uint64_t model, std::uint64_t rtl) {
  return fmt::format("{} is {} in the model, {} in the RTL", what, model, rtl);
}

std::string row_difference(std::size_t i, const EunomiaRow& model, const EunomiaRow& rtl) {
  const std::string row = fmt::format("metadata_start_index[{}]", i);
  if (model.valid != rtl.valid) return say(row + ".valid", model.valid, rtl.valid);
  if (!model.valid) return {};
  if (model.connection != rtl.connection) {
    return say(row + ".connection", model.connection, rtl.connection);
  }
  if (model.start != rtl.start) return say(row + ".start", model.start, rtl.start);
  return {};
}

}  // namespace

EunomiaConnection connection_of(const policy::EunomiaEngine& model, std::uint32_t id) {
  const auto c = model.connection(id);
  return {c.known, c.conn_module_valid, c.expected.value()};
}

EunomiaState state_of(const policy::EunomiaEngine& model, const EunomiaShape& shape) {
  const policy::MemoryController& m = model.controller();
  EunomiaState out;
  out.master_array = m.master_array();
  for (std::uint32_t i = 0; i * 64 < shape.blocks; ++i) {
    out.block_alloc_bitmap.push_back(m.allocation(i));
  }
  for (const auto& row : m.metadata_start_index()) {
    out.metadata_start_index.push_back({row.valid, row.connection, row.start});
  }
  for (std::uint32_t c = 0; c < shape.connections; ++c) {
    out.connections.push_back(connection_of(model, c));
  }
  return out;
}

EunomiaState state_of(const EunomiaTop& rtl, const EunomiaShape& shape) {
  EunomiaState out;
  for (std::uint32_t i = 0; i < shape.blocks; ++i) out.master_array.push_back(rtl.master_array(i));
  for (std::uint32_t i = 0; i * 64 < shape.blocks; ++i) {
    out.block_alloc_bitmap.push_back(rtl.block_alloc_bitmap(i));
  }
  for (std::uint32_t r = 0; r < shape.index_entries; ++r) {
    out.metadata_start_index.push_back(rtl.metadata_start_index(r));
  }
  for (std::uint32_t c = 0; c < shape.connections; ++c) {
    out.connections.push_back(rtl.connection(c));
  }
  return out;
}

std::string difference(std::uint32_t connection, const EunomiaConnection& model,
                       const EunomiaConnection& rtl) {
  const std::string name = fmt::format("connection {}: ", connection);
  if (model.known != rtl.known) return say(name + "known", model.known, rtl.known);
  if (model.conn_module_valid != rtl.conn_module_valid) {
    return say(name + "conn_module_valid", model.conn_module_valid, rtl.conn_module_valid);
  }
  if (model.known && model.expected != rtl.expected) {
    return say(name + "expected", model.expected, rtl.expected);
  }
  return {};
}

std::string difference(const EunomiaState& model, const EunomiaState& rtl) {
  for (std::uint32_t a = 0; a < model.master_array.size(); ++a) {
    if (model.allocated(a) != rtl.allocated(a)) {
      return say(fmt::format("block_alloc_bitmap[{}]", a), model.allocated(a), rtl.allocated(a));
    }
    if (model.allocated(a) && model.master_array[a] != rtl.master_array[a]) {
      return say(fmt::format("master_array[{}]", a), model.master_array[a], rtl.master_array[a]);
    }
  }
  for (std::size_t i = 0; i < model.metadata_start_index.size(); ++i) {
    auto d = row_difference(i, model.metadata_start_index[i], rtl.metadata_start_index[i]);
    if (!d.empty()) return d;
  }
  for (std::uint32_t c = 0; c < model.connections.size(); ++c) {
    auto d = difference(c, model.connections[c], rtl.connections[c]);
    if (!d.empty()) return d;
  }
  return {};
}

std::string text(const EunomiaState& state, const EunomiaShape& shape) {
  std::string out;
  auto line = std::back_inserter(out);
  for (std::size_t c = 0; c < state.connections.size(); ++c) {
    const EunomiaConnection& k = state.connections[c];
    if (!k.known) continue;
    fmt::format_to(line, "connection {}: expected {}, conn_module_valid {}\n", c, k.expected,
                   k.conn_module_valid);
  }
  for (std::size_t i = 0; i < state.metadata_start_index.size(); ++i) {
    const EunomiaRow& row = state.metadata_start_index[i];
    if (!row.valid) continue;
    fmt::format_to(line, "metadata_start_index[{}]: connection {}, start {}, words", i,
                   row.connection, row.start);
    for (std::uint32_t w = 0; w < shape.metadata_words(); ++w) {
      if (row.start + w < state.master_array.size()) {
        fmt::format_to(line, " {:04x}", state.master_array[row.start + w]);
      }
    }
    fmt::format_to(line, "\n");
  }
  for (std::uint32_t a = 0; a < state.master_array.size(); ++a) {
    if (!state.allocated(a)) continue;
    fmt::format_to(line, "master_array[{}]: {:04x}\n", a, state.master_array[a]);
  }
  return out;
}

}  // namespace horae::rtl
