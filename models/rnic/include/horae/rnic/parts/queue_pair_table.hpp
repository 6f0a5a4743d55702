// The queue pairs of one NIC, by number. No SystemC.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "horae/rnic/parts/queue_pair.hpp"

namespace horae::rnic {

/// Queue pairs are numbered from `first_qpn`, unless told otherwise; everything else here counts
/// them from 0.
class QueuePairTable {
 public:
  static constexpr std::uint32_t first_qpn = 0x40;
  static constexpr std::size_t most = 65536;  ///< entities of event keys are 16 bits

  /// `owner`: who has them, for messages.
  explicit QueuePairTable(std::string owner) : owner_(std::move(owner)) {}

  /// Numbers them from there; before the first is added.
  void number_from(Qpn first) { first_ = first.value(); }
  /// ModelError above `most`.
  QueuePair& add(std::unique_ptr<QueuePair> qp);

  std::size_t size() const { return qps_.size(); }
  /// Whether they are more than a processor's caches hold.
  bool many() const { return qps_.size() > 1024; }
  bool empty() const { return qps_.empty(); }
  /// The index is below size(): packets are compared with it where they arrive.
  QueuePair& operator[](std::size_t i) { return *qps_.data()[i]; }
  const QueuePair& operator[](std::size_t i) const { return *qps_.data()[i]; }
  Qpn number_of(std::size_t i) const { return Qpn(first_ + static_cast<std::uint32_t>(i)); }
  Qpn last_number() const { return number_of(qps_.size() - 1); }
  /// Index of a packet's queue pair; size() or more when there is no such.
  std::size_t index_of(Qpn number) const { return number.value() - first_; }

  /// Has the processor fetch where its table says that it lies.
  void fetch_place(std::size_t i) const { __builtin_prefetch(qps_.data() + i); }

  /// Messages of `qp` were completed, or ended with an error: it may have none left.
  void completed(QueuePair& qp) {
    if (!qp.work_counted || !qp.finished()) return;
    qp.work_counted = false;
    --unfinished_;
    if (!qp.in_error()) finished_.push_back(qp.config().ordinal);
  }
  /// Ordinals (QueuePairConfig::ordinal) of the queue pairs that have completed all their messages
  /// since the last call, in that order.
  std::vector<std::uint32_t> take_finished() { return std::exchange(finished_, {}); }
  /// Whether all queue pairs with a source have completed all of its messages, or are in error.
  bool finished() const { return unfinished_ == 0; }

 private:
  std::string owner_;
  std::uint32_t first_ = first_qpn;
  std::vector<std::unique_ptr<QueuePair>> qps_;
  std::size_t unfinished_ = 0;  ///< queue pairs with messages left
  std::vector<std::uint32_t> finished_;
};

}  // namespace horae::rnic
