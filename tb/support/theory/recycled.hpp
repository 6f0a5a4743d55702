// Recycled balls into bins: the model behind REPS (its paper, section 5.1 and appendix C), in two
// readings.
#pragma once

#include <boost/container/deque.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "horae/core/random.hpp"

namespace horae::theory {

/// The threshold of the theorem: 4 ln n.
double recycling_threshold(std::uint32_t bins);

/// Balls go back at once, which the proof assumes ("once a bin is non-empty, it remains non-empty")
/// and the artifact's figure does. In each round every bin that is not empty loses a ball. Of a bin
/// that held at most the threshold it comes back to that bin; all others of the round's balls, one
/// per bin, go to random bins.
class RecycledBins {
 public:
  /// Balls are recycled in every `every`-th round, 1 or more; in the others all are random
  /// (acknowledgements coalesced, Figure 17).
  RecycledBins(std::uint32_t bins, double threshold, std::uint32_t every, RandomStream random);

  void round();
  void rounds(std::uint32_t n);
  /// With the balls of the last round.
  const std::vector<std::uint32_t>& queues() const { return queues_; }
  std::uint32_t longest() const;
  std::uint32_t rounds_done() const { return done_; }
  /// The last round with a random ball; 0: none yet.
  std::uint32_t last_random() const { return last_random_; }

 private:
  double threshold_;
  std::uint32_t every_;
  std::uint32_t done_ = 0;
  std::uint32_t last_random_ = 0;
  std::vector<std::uint32_t> queues_;
  std::vector<std::uint32_t> next_;
  RandomStream random_;
};

/// The text to the letter: `colours` times `bins` colours, thrown in turn, a ball per bin and
/// round. A colour whose ball leaves a bin of at most the threshold remembers that bin unless it
/// remembers another; of a fuller bin it forgets what it remembers. A ball goes to the bin that its
/// colour remembers, or to a random one. Bins are first in, first out.
class ColouredBins {
 public:
  ColouredBins(std::uint32_t bins, double threshold, std::uint32_t colours, RandomStream random);

  void round();
  void rounds(std::uint32_t n);
  /// With the balls of the last round.
  std::uint32_t longest() const;
  std::uint32_t rounds_done() const { return done_; }
  std::uint32_t last_random() const { return last_random_; }

 private:
  double threshold_;
  std::uint32_t done_ = 0;
  std::uint32_t last_random_ = 0;
  std::uint32_t next_colour_ = 0;
  std::vector<boost::container::deque<std::uint32_t>> bins_;  ///< colours
  std::vector<std::optional<std::uint32_t>> remembered_;      ///< bin, by colour
  RandomStream random_;
};

}  // namespace horae::theory
