#include "horae/rtl/eunomia_rtl.hpp"

#include <fmt/format.h>

#include <bit>

#include "horae/core/error.hpp"
#include "horae/core/registry.hpp"

namespace horae::rtl {

using policy::OrderingMemory;

const EunomiaVariant& find_eunomia_variant(std::string_view name) {
  std::vector<std::string> names;
  for (const EunomiaVariant* v : eunomia_variants()) {
    if (v->name == name) return *v;
    names.emplace_back(v->name);
  }
  throw InputError(
      fmt::format("no variant '{}' of the RTL was built{}", name, suggestion(name, names)));
}

EunomiaRtl::EunomiaRtl(const EunomiaVariant& variant, std::uint32_t seed)
    : OrderingRtl(std::string(variant.name), variant.shape.connections, variant.make(seed),
                  variant.make),
      variant_(variant) {}

OrderingMemory EunomiaRtl::memory() const {
  const EunomiaShape& shape = variant_.shape;
  std::int64_t known = 0;
  for (std::uint32_t c = 0; c < shape.connections; ++c) known += top().connection(c).known;
  std::int64_t rows = 0;
  for (std::uint32_t r = 0; r < shape.index_entries; ++r) {
    rows += top().metadata_start_index(r).valid;
  }
  std::int64_t words = 0;
  for (std::uint32_t i = 0; i * 64 < shape.blocks; ++i) {
    words += std::popcount(top().block_alloc_bitmap(i));
  }
  const std::int64_t metadata = rows * shape.metadata_words();
  return {.fixed = Bytes(known * 4),
          .bitmap = Bytes((words - metadata) * 2),
          .metadata = Bytes(metadata * 2 + rows * 3)};
}

Bytes EunomiaRtl::provided(std::uint32_t connections) const {
  const EunomiaShape& shape = variant_.shape;
  return Bytes(std::int64_t{shape.blocks} * 2 + (std::int64_t{shape.blocks} + 7) / 8 +
               std::int64_t{shape.index_entries} * 3 + std::int64_t{connections} * 4);
}

}  // namespace horae::rtl
