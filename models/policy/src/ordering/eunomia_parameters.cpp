// The engine `eunomia` as the registry has it: its parameters and what they cannot be together.
#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/policy/ordering/eunomia.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

void check_eunomia(const PolicyParameters& parameters) {
  const std::uint32_t bits = parameters.of<BitmapReach>().bits;
  const auto& c = parameters.of<EunomiaMemorySizes>();
  if (c.block_bits == 0 || c.block_bits > 256 || c.block_bits % 16 != 0) {
    throw InputError(fmt::format(
        "block_bits = {} must be a multiple of 16 up to 256: bitmaps are kept in two-byte words, "
        "and the head's index has 8 bits",
        c.block_bits));
  }
  if (bits == 0 || bits % c.block_bits != 0) {
    throw InputError(
        fmt::format("bits = {} is not a multiple of block_bits = {}", bits, c.block_bits));
  }
  const EunomiaLayout layout(parameters);
  if (layout.max_blocks > 255) {
    throw InputError(fmt::format(
        "bits = {} are {} blocks of block_bits = {}; the size of a bitmap has 8 bits: at most 255",
        bits, layout.max_blocks, c.block_bits));
  }
  const std::uint32_t least = layout.metadata_words + layout.block_words;
  if (c.blocks < least || c.blocks > 65536) {
    throw InputError(fmt::format(
        "blocks = {} must be {} .. 65536: the metadata ({} blocks with bits = {}, block_bits = "
        "{}) and one bitmap block of a connection, and addresses of 16 bits",
        c.blocks, least, layout.metadata_words, bits, c.block_bits));
  }
  if (c.search_width == 0) throw InputError("search_width = 0 is below the minimum 1");
  if (c.index_entries == 0) throw InputError("index_entries = 0 is below the minimum 1");
}

}  // namespace

const Schema<EunomiaMemorySizes>& EunomiaMemorySizes::schema() {
  static const Schema<EunomiaMemorySizes> s =
      Schema<EunomiaMemorySizes>("eunomia", "The sizes of Eunomia's memory.")
          .field("block_bits", &EunomiaMemorySizes::block_bits,
                 {.doc = "eunomia: bits of a bitmap block, a multiple of 16",
                  .min = 16,
                  .max = 256,
                  .source = "Eunomia (Mahmood et al.), section 4: 16"})
          .field("blocks", &EunomiaMemorySizes::blocks,
                 {.doc = "eunomia: two-byte blocks of the master array",
                  .min = 10,
                  .max = 65536,
                  .source = "Eunomia (Mahmood et al.), section 4: 1024, configurable"})
          .field("index_entries", &EunomiaMemorySizes::index_entries,
                 {.doc = "eunomia: rows of metadata_start_index, which is how many connections can "
                         "reorder at a time",
                  .min = 1,
                  .max = 65536,
                  .source =
                      "no public value: \"fixed-length\" (Eunomia, section 4); more than the "
                      "1024 blocks have room for at 24 blocks of metadata each. Counted with three "
                      "bytes as in the paper, which tell 256 connections apart",
                  .verified = false})
          .field("search_width", &EunomiaMemorySizes::search_width,
                 {.doc = "eunomia: bits of the allocation bitmap searched per clock cycle",
                  .min = 1,
                  .max = 65536,
                  .source = "no public value",
                  .verified = false});
  return s;
}

OrderingEntry eunomia_ordering() {
  return {.name = "eunomia",
          .doc =
              "Eunomia: bitmaps that grow in blocks of a shared memory, only for connections that "
              "reorder",
          .make = [](const PolicyParameters& parameters) -> std::unique_ptr<OrderingEngine> {
            return std::make_unique<EunomiaEngine>(parameters);
          },
          .parameters = {keys_of<BitmapReach>(), keys_of<EunomiaMemorySizes>()},
          .check = check_eunomia};
}

}  // namespace horae::policy
