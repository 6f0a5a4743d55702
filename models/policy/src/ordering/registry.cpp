#include "horae/core/registry.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/ordering/memory_controller.hpp"
#include "horae/policy/ordering/policies.hpp"

namespace horae::policy {
namespace {

std::unique_ptr<OrderingEngine> make_none(const OrderingConfig&) { return nullptr; }

std::vector<std::pair<std::string, std::string>> engine_names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& entry : ordering_engines()) {
    names.emplace_back(std::string(entry.name), std::string(entry.name));
  }
  return names;
}

void check_eunomia(const OrderingConfig& c) {
  if (c.block_bits == 0 || c.block_bits > 256 || c.block_bits % 16 != 0) {
    throw InputError(fmt::format(
        "block_bits = {} must be a multiple of 16 up to 256: bitmaps are kept in two-byte words, "
        "and the head's index has 8 bits",
        c.block_bits));
  }
  if (c.bits == 0 || c.bits % c.block_bits != 0) {
    throw InputError(
        fmt::format("bits = {} is not a multiple of block_bits = {}", c.bits, c.block_bits));
  }
  const EunomiaLayout layout(c);
  if (layout.max_blocks > 255) {
    throw InputError(fmt::format(
        "bits = {} are {} blocks of block_bits = {}; the size of a bitmap has 8 bits: at most 255",
        c.bits, layout.max_blocks, c.block_bits));
  }
  const std::uint32_t least = layout.metadata_words + layout.block_words;
  if (c.blocks < least || c.blocks > 65536) {
    throw InputError(fmt::format(
        "blocks = {} must be {} .. 65536: the metadata ({} blocks with bits = {}, block_bits = "
        "{}) and one bitmap block of a connection, and addresses of 16 bits",
        c.blocks, least, layout.metadata_words, c.bits, c.block_bits));
  }
  if (c.search_width == 0) throw InputError("search_width = 0 is below the minimum 1");
  if (c.index_entries == 0) throw InputError("index_entries = 0 is below the minimum 1");
}

}  // namespace

const Schema<OrderingConfig>& OrderingConfig::schema() {
  static const std::string eunomia = "Eunomia (Mahmood et al.), ";
  static const Schema<OrderingConfig> s =
      Schema<OrderingConfig>("ordering",
                             "The layer below the transport that tracks packets which "
                             "arrive out of order.")
          .choice("engine", &OrderingConfig::engine, engine_names(),
                  {.doc = "how they are tracked; none: by the transport's own receiver"})
          .choice("level", &OrderingConfig::level,
                  {{"model", "model"}, {"rtl", "rtl"}, {"both", "both"}},
                  {.doc = "what runs: the model in C++, the hardware description, or both, "
                          "compared at every packet"})
          .field(
              "bits", &OrderingConfig::bits,
              {.doc = "static, eunomia: most packets that a connection's bitmap covers; eunomia: "
                      "a multiple of block_bits, at most 255 times that",
               .min = 1,
               .max = 65536,
               .source = eunomia + "section 4: 256"})
          .field(
              "bdp", &OrderingConfig::bdp,
              {.doc = "irn: bandwidth-delay product in packets: what a bitmap covers",
               .min = 1,
               .max = 65536,
               .source = eunomia + "Table 2: 100 packets at 100 Gbps and 8 us; its 125 bytes are "
                                   "five bitmaps of twice that, a factor without a source",
               .verified = false})
          .field("block_bits", &OrderingConfig::block_bits,
                 {.doc = "eunomia: bits of a bitmap block, a multiple of 16",
                  .min = 16,
                  .max = 256,
                  .source = eunomia + "section 4: 16"})
          .field("blocks", &OrderingConfig::blocks,
                 {.doc = "eunomia: two-byte blocks of the master array",
                  .min = 10,
                  .max = 65536,
                  .source = eunomia + "section 4: 1024, configurable"})
          .field("index_entries", &OrderingConfig::index_entries,
                 {.doc = "eunomia: rows of metadata_start_index, which are the connections that "
                         "may reorder at a time",
                  .min = 1,
                  .max = 65536,
                  .source =
                      "no public value: \"fixed-length\" (Eunomia, section 4); more than the "
                      "1024 blocks have room for at 24 blocks of metadata each. Counted with three "
                      "bytes as in the paper, which tell 256 connections apart",
                  .verified = false})
          .field("search_width", &OrderingConfig::search_width,
                 {.doc = "eunomia: bits of the allocation bitmap looked at per clock",
                  .min = 1,
                  .max = 65536,
                  .source = "no public value",
                  .verified = false})
          .field("clock", &OrderingConfig::clock,
                 {.doc = "of the engine",
                  .min = Hertz(1'000'000),
                  .max = Hertz(10'000'000'000),
                  .source = "no public value: 1 GHz is usual for a NIC's pipelines; Eunomia's FPGA "
                            "would run at some hundred MHz",
                  .verified = false})
          .choice(
              "write_last", &OrderingConfig::write_last,
              {{"immediate", WriteLast::immediate},
               {"sender", WriteLast::sender},
               {"receiver", WriteLast::receiver}},
              {.doc = "last packet of a WRITE: as any other (SEND); held by the sender until all "
                      "before it is acknowledged; or, out of order, held by the receiver",
               .source = eunomia + "3.5.2 and appendix A.1"});
  return s;
}

const std::vector<OrderingEntry>& ordering_engines() {
  static const std::vector<OrderingEntry> all = {
      {"none", "no ordering layer: the transport's own receiver", make_none},
      {"ideal", "tracks everything, whatever it takes", make_ideal_ordering},
      {"static", "a circular bitmap of one size per connection", make_static_ordering},
      {"irn", "IRN: five bitmaps of one bandwidth-delay product", make_irn_ordering},
      {"mp_rdma", "MP-RDMA: 64 slots of two bits", make_mp_rdma_ordering},
      {"eunomia",
       "Eunomia: bitmaps that grow by blocks of a common memory, only for connections "
       "that reorder",
       make_eunomia_ordering},
  };
  return all;
}

void check(const OrderingConfig& config) {
  const std::string_view engine = find_named(ordering_engines(), "engine", config.engine).name;
  if (engine == "eunomia") check_eunomia(config);
  if (engine == "static" && config.bits == 0) throw InputError("bits = 0 is below the minimum 1");
  if (engine == "irn" && config.bdp == 0) throw InputError("bdp = 0 is below the minimum 1");
}

std::unique_ptr<OrderingEngine> make_ordering_engine(const OrderingConfig& config) {
  check(config);
  return find_named(ordering_engines(), "engine", config.engine).make(config);
}

}  // namespace horae::policy
