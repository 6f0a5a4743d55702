#include "horae/inference/sobol.hpp"

#include <boost/random/sobol.hpp>

#include "horae/core/random.hpp"

namespace horae::inference {

std::vector<Position> sobol_design(const Space& space, std::size_t count, std::uint64_t seed,
                                   std::string_view name) {
  std::vector<Position> points;
  if (space.empty()) return std::vector<Position>(count);
  RandomStream random(seed, name);
  std::vector<std::uint64_t> shift;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const std::uint64_t high = random.bits();
    shift.push_back(high << 32 | random.bits());
  }
  boost::random::sobol sequence(space.size());
  for (std::size_t n = 0; n < count; ++n) {
    Position p(space.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
      // Boost leaves out the sequence's first point, zero, without which no block is even.
      const std::uint64_t digits = n == 0 ? 0 : sequence();
      p[i] = static_cast<double>((digits ^ shift[i]) >> 11) * 0x1.0p-53;
    }
    points.push_back(canonical(space, std::move(p)));
  }
  return points;
}

}  // namespace horae::inference
