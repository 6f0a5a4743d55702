// Which messages of a platform are run alone, and what that says of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/workload/ideal_times.hpp"
#include "horae/workload/traffic.hpp"

namespace horae::workload {

/// Plans which messages are run alone, each in an idle network, so that the completion time of each
/// message alone is known. Few messages are all run, and so are those that may go by unlike paths,
/// if they are not many. Of others some sizes are run, for each class of equal NICs and equal
/// paths. Between two sizes, what is beyond the time at line rate (IdealTimes) lies on a straight
/// line. Other messages of the class are run as well, to see how far that is off; where it is too
/// far, more sizes are run.
///
/// Decisions depend on the platform alone. A plan is a conversation: run all of next(), tell take()
/// of each, until next() has nothing.
class AlonePlan {
 public:
  /// Both are to outlive it.
  AlonePlan(const config::PlatformConfig& platform, const std::vector<PlacedMessage>& messages);

  /// Places in `messages` to be run next, each alone; none: enough is known.
  std::vector<std::size_t> next();
  /// A message of next() took so long alone; absent: it did not end.
  void take(std::size_t message, std::optional<Picoseconds> time);

  /// Time of any message, when next() has nothing more. Absent: it, or those beside it, did not
  /// end.
  std::optional<Picoseconds> time(std::size_t message) const;

  struct Account {
    std::uint64_t messages = 0;
    std::uint64_t run = 0;      ///< of these, alone
    std::uint64_t checked = 0;  ///< of those, compared with what was computed without them
    double largest_error = 0;   ///< there, as a share of the time
  };
  Account account() const;

 private:
  /// Messages that take equal time if they are of equal size, as far as the platform says.
  struct Class {
    std::vector<std::uint32_t> members;  ///< by size, then as in the platform
    std::vector<std::uint32_t> sizes;    ///< where in `members` each size begins
    std::int64_t packets = 0;            ///< of all
    std::map<Bytes, Picoseconds>
        beyond;                ///< by size: time beyond that at line rate; never: endless
    std::size_t run = 0;       ///< so many members were
    double error_of_size = 0;  ///< of the last round's checks of sizes not run before
    double error_at_size = 0;  ///< of all checks of sizes run before
    std::vector<Bytes> wrong;  ///< sizes beside which more are to be run
    bool alike = true;         ///< they go by like paths, else each may take its own time
    bool settled = false;
  };
  enum class Detail { paths, lengths };

  void sort_into_classes(Detail detail);
  std::int64_t packets(std::size_t message) const;
  Bytes size(std::size_t message) const { return messages_[message].flow.message; }
  /// Members by which a class is sampled: at most `most` sizes.
  std::vector<std::uint32_t> samples(const Class& c, std::size_t most) const;
  std::vector<std::uint32_t> checks(const Class& c) const;
  std::vector<std::uint32_t> refinements(const Class& c) const;
  /// Sizes that are off the straight line between those beside them.
  std::vector<Bytes> bends(const Class& c) const;
  /// A member of a size that was not run, halfway between the two.
  std::optional<std::uint32_t> between(const Class& c, Bytes low, Bytes high) const;
  void learn();
  void compare();
  std::optional<Picoseconds> computed(const Class& c, std::size_t message) const;
  Picoseconds at_line_rate(std::size_t message) const;

  const config::PlatformConfig& platform_;
  const std::vector<PlacedMessage>& messages_;
  IdealTimes line_rate_;
  std::vector<Class> classes_;
  std::vector<std::uint32_t> class_of_;  ///< by message
  /// By message: its time alone; `never`: it did not end; absent: not run.
  std::vector<std::optional<Picoseconds>> measured_;
  std::vector<std::size_t> batch_;  ///< what next() gave last
  std::size_t most_samples_ = 0;    ///< of a class; 0: all messages are run
  bool each_unlike_ = false;        ///< all members of classes that are not alike are run
  unsigned round_ = 0;
  Account account_;
};

}  // namespace horae::workload
