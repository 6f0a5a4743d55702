// Entropy schemes of users, whose hardware descriptions lie outside the tree (scripts/rtl).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "horae/policy/entropy/entropy.hpp"
#include "horae/rtl/entropy_top.hpp"

namespace horae::rtl {

/// A block as its horae_rtl.toml describes it.
struct EntropyBlock {
  std::string_view name;
  std::string_view model;         ///< what it implements: "scheme=cycle values=256"
  std::uint32_t connections = 0;  ///< that one instance has room for; 0: an instance for each
  bool opens = false;             ///< has a pin that begins a connection
  bool hears = false;             ///< has a pin for feedback
  bool freezes = false;           ///< has a pin that freezes
  Served<EntropyInputs, EntropyOutputs>::Make make = nullptr;
};

/// Those that were built.
const std::vector<EntropyBlock>& entropy_blocks();

/// An instance of the hardware, of one queue pair or of all of a NIC, and what the model said to
/// its latest requests where both run.
struct EntropyUnit {
  explicit EntropyUnit(const EntropyBlock& b) : block(b), hardware(b.make(0), b.make) {}

  const EntropyBlock& block;
  Served<EntropyInputs, EntropyOutputs> hardware;
  std::deque<std::string> model{};
};

/// A queue pair's values by hardware. It takes clocks, which the NIC does not wait for.
class EntropyRtl final : public policy::Entropy {
 public:
  /// A unit without connections is of this queue pair alone.
  EntropyRtl(std::shared_ptr<EntropyUnit> unit, std::uint32_t connection,
             const policy::EntropyConfig& config, const policy::EntropyContext& context);

  /// A ModelError where the hardware gives what is no entropy value.
  std::uint16_t next(Picoseconds now) override;
  void feedback(const policy::EntropyFeedback& feedback, Picoseconds now) override;
  void freeze(Picoseconds now) override;
  bool frozen() const override { return frozen_; }
  /// Bits of the scheme that it implements.
  std::uint64_t bits() const override { return bits_; }
  policy::EntropyCounts counts() const override { return counts_; }

  EntropyUnit& unit() const { return *unit_; }

 private:
  EntropyOutputs serve(EntropyInputs in, Picoseconds now);

  std::shared_ptr<EntropyUnit> unit_;
  EntropyInputs idle_;  ///< what is the same at every request
  std::uint32_t values_;
  RandomStream random_;
  std::uint64_t bits_;
  bool frozen_ = false;
  Picoseconds frozen_since_{};
  policy::EntropyCounts counts_;
};

/// Every request goes to the model and to the hardware. Values are compared, where they came from,
/// and whether it is frozen. At the first difference model.txt and rtl.txt (the latest requests and
/// answers) and waveform.vcd (the last thousand clocks) are written to `folder`, and a ModelError
/// says what differed. The answer is the model's.
class EntropyLockstep final : public policy::Entropy {
 public:
  /// `requests`: counts those that both answered alike.
  EntropyLockstep(std::unique_ptr<policy::Entropy> model, std::unique_ptr<EntropyRtl> rtl,
                  std::string folder, std::shared_ptr<std::uint64_t> requests);

  std::uint16_t next(Picoseconds now) override;
  void feedback(const policy::EntropyFeedback& feedback, Picoseconds now) override;
  void freeze(Picoseconds now) override;
  bool frozen() const override { return model_->frozen(); }
  std::uint64_t bits() const override { return model_->bits(); }
  policy::EntropyCounts counts() const override { return model_->counts(); }

 private:
  template <class Ask>
  void ask_rtl(const std::string& what, Ask ask);
  void compare(const std::string& what);
  [[noreturn]] void report(const std::string& difference) const;

  std::unique_ptr<policy::Entropy> model_;
  std::unique_ptr<EntropyRtl> rtl_;
  std::string folder_;
  std::shared_ptr<std::uint64_t> requests_;
};

/// The level that a NIC's configuration asks for.
std::string entropy_level(const policy::EntropyConfig& config);

/// Refuses, as EntropySources does, what cannot be made.
void check_entropy(const policy::EntropyConfig& config);

/// Makes the schemes of a NIC's queue pairs at level `rtl` or `both`. The hardware is the block
/// that `rtl` names, or the first that fits; one instance of it for all queue pairs where it has a
/// pin for the connection.
class EntropySources {
 public:
  /// An InputError where there is none. `folder`: where a difference is written to.
  EntropySources(policy::EntropyConfig config, std::string folder);

  std::unique_ptr<policy::Entropy> make(std::size_t queue_pair, policy::EntropyContext&& context);

  const EntropyBlock& block() const { return block_; }
  std::uint64_t queue_pairs() const { return queue_pairs_; }  ///< so far
  std::uint64_t requests() const { return *requests_; }       ///< that both answered alike

 private:
  policy::EntropyConfig config_;
  std::string folder_;
  const EntropyBlock& block_;
  std::shared_ptr<EntropyUnit> shared_;
  std::shared_ptr<std::uint64_t> requests_ = std::make_shared<std::uint64_t>(0);
  std::uint64_t queue_pairs_ = 0;
};

}  // namespace horae::rtl
