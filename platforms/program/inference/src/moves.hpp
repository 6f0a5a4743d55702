// Where chains may go next.
#pragma once

#include <vector>

#include "horae/core/random.hpp"
#include "horae/inference/space.hpp"

namespace horae::inference {

/// The moves of a level's chains. All are symmetric: from here to there is as likely as back.
class Moves {
 public:
  /// `seeds` are the points that the level's chains begin at.
  Moves(const Space& space, const std::vector<Position>& seeds);

  struct Proposal {
    Position position;
    bool along = false;  ///< of the second kind
    bool asks = false;   ///< leads to another position of the space
  };
  Proposal propose(const Position& from, RandomStream& random) const;

  /// Moves of a kind that were tried, and accepted, since widths were last adapted.
  struct Tally {
    unsigned tried = 0, accepted = 0;
  };
  /// Widens what was accepted often, narrows what was not.
  void adapt(const Tally& each, const Tally& along);

 private:
  Position some(const Position& from, RandomStream& random) const;
  Position difference(const Position& from, RandomStream& random) const;

  const Space& space_;
  std::vector<Position> different_;  ///< seeds without repeats
  std::vector<double> spread_;       ///< of the seeds, by dimension, as the width of a uniform one
  double continuous_chance_ = 1, discrete_chance_ = 1;  ///< of a dimension to be moved
  double each_ = 1;                                     ///< factor of the spread
  double along_ = 1;                                    ///< factor of differences
};

}  // namespace horae::inference
