// Messages of several sizes in one stream, and streams in batches.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/traffic/source.hpp"

namespace horae::traffic {

/// Sizes of the messages of a stream.
struct SizeMix {
  enum class Order : std::uint8_t {
    cyclic,  ///< in turn, each as often as its weight says, again and again
    drawn,   ///< at random, in proportion to the weights
  };
  std::vector<Bytes> sizes;            ///< at least one
  std::vector<std::uint32_t> weights;  ///< one each, above zero; empty: 1 each
  Order order = Order::cyclic;

  Bytes largest() const;
  std::uint64_t sum_of_weights() const;
  /// The size that stands at `place`, from 0 to the sum of the weights less one.
  Bytes at(std::uint64_t place) const;
};

/// Equal messages, or those of a mix, all due from `start` on, in batches.
class MixedSource final : public TrafficSource {
 public:
  struct Config {
    NodeId dst = 0;
    Bytes bytes = 4_KiB;                 ///< of each message, without a mix
    std::shared_ptr<const SizeMix> mix;  ///< null: none; kept for all streams of a table
    Picoseconds start{};
    std::uint64_t count = 0;  ///< messages; 0: without end
    /// Messages go so many at a time; 0: each as soon as it may. `turns` sources take turns, of
    /// which this one is number `turn`: a batch goes when as many messages of all of them are
    /// completed as went before it, but for the last round. The source hears of those as messages
    /// received (TrafficItem::after).
    std::uint32_t batch = 0;
    std::uint32_t turn = 0, turns = 1;
    std::uint64_t seed = 0;
    std::string stream;  ///< full name of its random numbers
    Verb verb = Verb::write;
    /// Verbs of its messages in turn, again and again; null: all have `verb`. An atomic has eight
    /// bytes. Kept for all streams of a table.
    std::shared_ptr<const std::vector<Verb>> verbs{};
  };
  explicit MixedSource(const Config& config);
  std::optional<TrafficItem> next() override;

 private:
  Bytes next_size();

  Config config_;
  std::uint64_t weight_ = 1;  ///< of all sizes together
  std::uint64_t issued_ = 0;
  std::optional<RandomStream> random_;
};

}  // namespace horae::traffic
