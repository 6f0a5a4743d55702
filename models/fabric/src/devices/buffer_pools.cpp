#include "horae/fabric/devices/buffer_pools.hpp"

#include <fmt/format.h>

#include "horae/core/quantity_text.hpp"

namespace horae::fabric {

const Schema<PoolConfig>& PoolConfig::schema() {
  static const Schema<PoolConfig> s =
      Schema<PoolConfig>("pool", "A part of the buffer for some classes.")
          .required("classes", &PoolConfig::classes,
                    {.doc = "traffic classes that share the pool; what pools leave of the buffer "
                            "is for all classes that none has",
                     .max = 7,
                     .source = "BUFFER_POOL of SONiC's configuration database, which profiles of "
                               "priority groups and queues name"})
          .required("size", &PoolConfig::size,
                    {.doc = "bytes of the pool. Headrooms and minima of its classes are of it, and "
                            "alpha and share are of what is free in it",
                     .min = 1_B});
  return s;
}

BufferPools::BufferPools(const std::optional<std::vector<PoolConfig>>& pools, Bytes buffer) {
  std::int64_t left = buffer.count();
  unsigned taken = 0;
  for (const PoolConfig& p : pools.value_or(std::vector<PoolConfig>{})) {
    Pool pool{.size = p.size.count()};
    for (const std::uint32_t c : p.classes) {
      of_.at(c) = static_cast<std::uint8_t>(pools_.size());
      pool.classes |= 1u << c;
    }
    taken |= pool.classes;
    left -= pool.size;
    pools_.push_back(pool);
  }
  for (unsigned c = 0; c < classes; ++c) {
    if ((taken >> c & 1u) == 0) of_[c] = static_cast<std::uint8_t>(pools_.size());
  }
  several_ = !pools_.empty();
  pools_.push_back({.size = left, .classes = ~taken & ((1u << classes) - 1)});
}

void check_pools(const std::vector<PoolConfig>& pools, Bytes buffer, const Section& section) {
  const auto tables = section.children("pool");
  unsigned taken = 0;
  Bytes left = buffer;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    if (buffer.count() == 0) {
      throw tables[i].error("size",
                            "a pool is a part of the buffer; expected a 'buffer' beside it");
    }
    if (pools[i].classes.empty())
      throw tables[i].error("classes", "a pool without classes; expected some");
    for (const std::uint32_t c : pools[i].classes) {
      if ((taken >> c & 1u) != 0)
        throw tables[i].error("classes", fmt::format("class {} has a pool already", c));
      taken |= 1u << c;
    }
    if (pools[i].size > left) {
      throw tables[i].error("size",
                            fmt::format("size = {} is more than the {} that pools before it "
                                        "leave of the buffer of {}",
                                        to_text(pools[i].size), to_text(left), to_text(buffer)));
    }
    left -= pools[i].size;
  }
}

}  // namespace horae::fabric
