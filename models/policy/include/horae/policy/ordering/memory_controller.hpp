// Eunomia's memory controller: one array of two-byte words for the metadata and the bitmap blocks
// of all connections, and who has which of them (Eunomia 3.4, 4).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "horae/policy/ordering/connection_table.hpp"
#include "horae/policy/ordering/free_map.hpp"
#include "horae/policy/ordering/ordering.hpp"

namespace horae::policy {

/// The parameters of the engine `eunomia`, beside its BitmapReach.
struct EunomiaMemorySizes {
  std::uint32_t block_bits = 16;     ///< of a bitmap block, a multiple of 16
  std::uint32_t blocks = 1024;       ///< two-byte blocks of the master array
  std::uint32_t index_entries = 64;  ///< connections that may reorder at a time
  std::uint32_t search_width = 64;   ///< allocation bits looked at per clock

  static const Schema<EunomiaMemorySizes>& schema();
};

/// Sizes that follow from the parameters.
struct EunomiaLayout {
  explicit EunomiaLayout(const PolicyParameters& parameters);

  std::uint32_t words;           ///< M: two-byte words of the master array
  std::uint32_t block_bits;      ///< B: bits of a bitmap block
  std::uint32_t block_words;     ///< its words
  std::uint32_t max_blocks;      ///< N: bitmap blocks of a connection at most
  std::uint32_t metadata_words;  ///< 8 of state (Table 1), then an address per bitmap block
  std::uint32_t index_entries;   ///< E: rows of metadata_start_index
  std::uint32_t search_width;    ///< S: words looked at per clock of a search

  /// Packets that a connection's bitmap covers at most.
  std::uint32_t cap() const { return max_blocks * block_bits; }
};

/// The arrays and their allocation. OrderingOps counts each two-byte word read or written, once per
/// access; the allocation bitmap and the index are not words of the master array. A search looks at
/// the positions from its end up to the last word of the run found, or at all of them.
class MemoryController {
 public:
  /// A row of metadata_start_index: 1 B of connection and 2 B of start on the chip.
  struct IndexRow {
    bool valid = false;
    ConnectionId connection = 0;
    std::uint16_t start = 0;
    bool operator==(const IndexRow&) const = default;
  };
  static constexpr Bytes index_row_size = 3_B;

  explicit MemoryController(const EunomiaLayout& layout);

  std::uint16_t read(std::uint32_t address, OrderingOps& ops) const {
    ++ops.words_read;
    return master_[address];
  }
  void write(std::uint32_t address, std::uint16_t value, OrderingOps& ops) {
    ++ops.words_written;
    master_[address] = value;
  }

  /// Takes the first free run of a bitmap block's words from address 0 upwards, clears it and
  /// returns its address; nothing when there is no room.
  std::optional<std::uint16_t> allocate_block(OrderingOps& ops);
  void release_block(std::uint32_t address, OrderingOps& ops);

  /// Takes the lowest free row of the index and, from the end of the array backwards, the first
  /// free run of metadata words; returns its address. The connection has none. Nothing when row or
  /// room is missing.
  std::optional<std::uint16_t> allocate_metadata(ConnectionId connection, OrderingOps& ops);
  void release_metadata(ConnectionId connection, OrderingOps& ops);
  /// Where the connection's metadata start; nothing when it has none.
  std::optional<std::uint16_t> metadata_start(ConnectionId connection) const;

  const EunomiaLayout& layout() const { return layout_; }
  /// Its whole state, for comparison with other models of it.
  const std::vector<std::uint16_t>& master_array() const { return master_; }
  bool allocated(std::uint32_t address) const { return !map_.is_free(address); }
  /// Whether the 64 words from 64 * `index` on are allocated, lowest first (none past the end).
  std::uint64_t allocation(std::uint32_t index) const {
    const std::uint32_t inside = layout_.words - 64 * index;
    const std::uint64_t all = inside < 64 ? (std::uint64_t{1} << inside) - 1 : ~std::uint64_t{0};
    return ~map_.free_places(index) & all;
  }
  const std::vector<IndexRow>& metadata_start_index() const { return index_; }
  std::uint32_t allocated_words() const { return map_.taken(); }
  std::uint32_t rows_in_use() const { return rows_.taken(); }

 private:
  void count_search(std::uint32_t looked_at, OrderingOps& ops) const {
    ops.searched += looked_at;
    ops.search_clocks += (looked_at + layout_.search_width - 1) / layout_.search_width;
  }

  EunomiaLayout layout_;
  std::vector<std::uint16_t> master_;
  FreeMap map_;
  std::vector<IndexRow> index_;
  FreeMap rows_;
  // Row + 1 by connection, 0 for none: the chip compares all rows at once.
  ConnectionTable<std::uint32_t> row_of_;
};

}  // namespace horae::policy
