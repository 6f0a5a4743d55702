#include "horae/policy/ordering/memory_controller.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::policy {

EunomiaLayout::EunomiaLayout(const PolicyParameters& parameters) {
  const std::uint32_t bits = parameters.of<BitmapReach>().bits;
  const auto& sizes = parameters.of<EunomiaMemorySizes>();
  words = sizes.blocks;
  block_bits = sizes.block_bits;
  block_words = block_bits / 16;
  max_blocks = bits / block_bits;
  metadata_words = 8 + max_blocks;
  index_entries = sizes.index_entries;
  search_width = sizes.search_width;
}

MemoryController::MemoryController(const EunomiaLayout& layout)
    : layout_(layout),
      master_(layout.words),
      map_(layout.words),
      index_(layout.index_entries),
      rows_(layout.index_entries) {}

std::optional<std::uint16_t> MemoryController::allocate_block(OrderingOps& ops) {
  const std::uint32_t n = layout_.block_words;
  const std::uint32_t start = map_.first_run(n);
  if (start == FreeMap::none) {
    count_search(layout_.words, ops);
    return std::nullopt;
  }
  count_search(start + n, ops);
  ops.allocated += n;
  map_.take(start, n);
  for (std::uint32_t i = 0; i < n; ++i) write(start + i, 0, ops);
  return static_cast<std::uint16_t>(start);
}

void MemoryController::release_block(std::uint32_t address, OrderingOps& ops) {
  map_.give(address, layout_.block_words);
  ops.released += layout_.block_words;
}

std::optional<std::uint16_t> MemoryController::allocate_metadata(ConnectionId connection,
                                                                 OrderingOps& ops) {
  std::uint32_t& row_of = row_of_.at(connection);
  if (row_of != 0) throw ModelError(fmt::format("connection {} has metadata", connection));
  const std::uint32_t row = rows_.first_run(1);
  if (row == FreeMap::none) return std::nullopt;
  const std::uint32_t n = layout_.metadata_words;
  const std::uint32_t start = map_.last_run(n);
  if (start == FreeMap::none) {
    count_search(layout_.words, ops);
    return std::nullopt;
  }
  count_search(layout_.words - start, ops);
  ops.allocated += n;
  map_.take(start, n);
  rows_.take(row, 1);
  row_of = row + 1;
  index_[row] = {true, connection, static_cast<std::uint16_t>(start)};
  return index_[row].start;
}

void MemoryController::release_metadata(ConnectionId connection, OrderingOps& ops) {
  std::uint32_t& row_of = row_of_.at(connection);
  if (row_of == 0) throw ModelError(fmt::format("connection {} has no metadata", connection));
  const std::uint32_t row = row_of - 1;
  map_.give(index_[row].start, layout_.metadata_words);
  ops.released += layout_.metadata_words;
  rows_.give(row, 1);
  index_[row].valid = false;
  row_of = 0;
}

std::optional<std::uint16_t> MemoryController::metadata_start(ConnectionId connection) const {
  const std::uint32_t* row = row_of_.find(connection);
  if (row == nullptr || *row == 0) return std::nullopt;
  return index_[*row - 1].start;
}

}  // namespace horae::policy
