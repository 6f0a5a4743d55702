// Threads of the host that post: what they write, and when they ring. No SystemC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/rnic/spec/host_queues_config.hpp"

namespace horae::rnic {

/// Each thread serves its queue pairs in turn: it writes the WQEs that are wanted, `batch` at most,
/// and rings. What comes meanwhile goes with the next doorbell. With a proxy the threads write
/// only; the proxy, one more thread, rings for each of their batches in their order. What WQEs take
/// of all threads together (`shared`) is behind what they take of their own, and is reserved in the
/// order in which threads begin. Queue pairs are numbered from 0. Times never decrease.
class Posting {
 public:
  explicit Posting(const PostConfig& config)
      : config_(config), threads_(config.threads + (proxied() ? 1u : 0u)) {}

  /// One more queue pair (elaboration only).
  void add() { wanted_.emplace_back(); }

  /// A thread works until `done`, and then wants done() to be called.
  struct Step {
    std::uint16_t thread;
    Picoseconds done;
  };
  /// `messages` more are there for queue pair `i`. Returns what its thread does, if it did nothing.
  std::optional<Step> want(std::size_t i, std::uint64_t messages, Picoseconds now);

  /// The NIC is told of `messages` more of queue pair `qp`.
  struct Doorbell {
    std::uint16_t qp;
    std::uint32_t messages;
  };
  struct Done {
    Doorbell written;               ///< WQEs, or by a proxy nothing but its doorbell
    Picoseconds began;              ///< when the thread began with it
    std::optional<Doorbell> rings;  ///< at this time
    std::optional<Step> next;       ///< of the thread
    std::optional<Step> proxy;      ///< of the proxy, if it did nothing
  };
  Done done(std::size_t thread, Picoseconds now);

  /// Time that threads worked, all together.
  Picoseconds busy() const { return busy_; }
  std::uint64_t doorbells() const { return doorbells_; }

 private:
  struct Thread {
    std::deque<Doorbell> turns{};  ///< queue pairs with something to write; of the proxy, to ring
    std::optional<Doorbell> writing{};  ///< until it is done
    Picoseconds began{};                ///< when it began with that
  };
  bool proxied() const { return config_.ringer == Ringer::proxy; }
  std::size_t proxy() const { return config_.threads; }
  std::optional<Step> begin(std::size_t thread, Picoseconds now);
  /// When a thread that begins now has written so many WQEs, and rung if it rings.
  Picoseconds written_at(std::uint32_t messages, Picoseconds now);

  PostConfig config_;
  Picoseconds shared_until_{};         ///< WQEs of all threads are reserved up to here
  std::vector<Thread> threads_;        ///< the proxy last
  std::vector<std::uint64_t> wanted_;  ///< of each queue pair, not written; in turn if not zero
  Picoseconds busy_{};
  std::uint64_t doorbells_ = 0;
};

}  // namespace horae::rnic
