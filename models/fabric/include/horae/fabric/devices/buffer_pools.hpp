// Parts of a switch's buffer that some classes have for themselves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/params/schema.hpp"

namespace horae::fabric {

/// A pool and the classes that share it.
struct PoolConfig {
  std::vector<std::uint32_t> classes{};
  Bytes size{};
  static const Schema<PoolConfig>& schema();
};

/// Which pool a class takes its bytes from, and what each holds. The last pool is that of all
/// classes that no other has: what the others leave of the buffer, without others all of it.
class BufferPools {
 public:
  static constexpr unsigned classes = 8;

  BufferPools(const std::optional<std::vector<PoolConfig>>& pools, Bytes buffer);

  bool several() const { return several_; }
  std::size_t count() const { return pools_.size(); }
  unsigned of(unsigned traffic_class) const { return of_[traffic_class]; }
  /// Classes of a pool, a bit for each.
  unsigned classes_of(std::size_t pool) const { return pools_[pool].classes; }
  Bytes size(std::size_t pool) const { return Bytes(pools_[pool].size); }

  /// Bytes of a class's pool that nothing has.
  std::int64_t free(unsigned traffic_class) const {
    const Pool& p = pools_[of_[traffic_class]];
    return p.size - p.used;
  }
  void take(unsigned traffic_class, std::int64_t bytes) {
    pools_[of_[traffic_class]].used += bytes;
  }
  void give(unsigned traffic_class, std::int64_t bytes) { take(traffic_class, -bytes); }

 private:
  struct Pool {
    std::int64_t size = 0;
    std::int64_t used = 0;
    unsigned classes = 0;
  };
  std::array<std::uint8_t, classes> of_{};
  std::vector<Pool> pools_;
  bool several_;
};

/// InputError where pools are more than the buffer, or share a class. `section` has the tables.
void check_pools(const std::vector<PoolConfig>& pools, Bytes buffer, const Section& section);

}  // namespace horae::fabric
