// IRN's recovery over every set of losses, beside a model of the authors' modules that was written
// apart from it (receiveAck, txFree and timeout as the README of NetSys/irn-vivado-hls and the
// paper describe them): plain sets in place of serial numbers and bitmaps.
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "transport_script.hpp"

namespace horae::policy::irn_losses_test {
namespace {

constexpr int packets = 11;

/// One acknowledgement: everything before `next` has arrived, and perhaps one packet beyond.
struct Answer {
  int next = 0;
  std::optional<int> beyond;
};

/// The sender as the authors divide it, but for one thing: their txFree looks for the next hole
/// behind a packet that it sends, so a hole that an acknowledgement opens lets one new packet pass.
/// Here the search takes no turn.
class AuthorsSender {
 public:
  explicit AuthorsSender(int window) : window_(window) {}

  std::optional<int> send() {
    find_hole();
    if (marked_ && *marked_ >= acked_) {
      if (*marked_ == acked_) recovering_ = true;
      resent_ = *marked_;
      recover_to_ = next_ - 1;
      marked_.reset();
      seek_ = true;
      return resent_;
    }
    marked_.reset();
    if (next_ - acked_ >= window_ || next_ >= packets) return {};
    return next_++;
  }
  void hear(const Answer& a) {
    const bool advances = a.next > acked_;
    acked_ = std::max(acked_, a.next);
    if (a.beyond) {
      const bool leads = *a.beyond > highest();
      sacked_.insert(*a.beyond);
      if (recovering_ && marked_ == a.beyond) {
        resent_ = *a.beyond;
        marked_.reset();
        seek_ = true;
      } else if (recovering_ && !marked_ && leads) {
        seek_ = true;
      }
    }
    if (recovering_ && acked_ > recover_to_) {
      recovering_ = seek_ = false;
      marked_.reset();
    }
    if (advances && recovering_ && (marked_ ? *marked_ <= acked_ : resent_ < acked_)) {
      marked_ = acked_;
      seek_ = false;
    }
    if (!advances && !recovering_ && a.beyond && acked_ < next_) {
      marked_ = acked_;
      seek_ = false;
    }
  }
  void time_out() {
    marked_ = acked_;
    seek_ = false;
  }

 private:
  void find_hole() {
    if (!std::exchange(seek_, false)) return;
    for (int hole = std::max(resent_ + 1, acked_); hole < highest(); ++hole) {
      if (sacked_.contains(hole)) continue;
      marked_ = hole;
      return;
    }
  }
  int highest() const { return sacked_.empty() ? -1 : *sacked_.rbegin(); }

  int window_;
  int acked_ = 0;
  int next_ = 0;
  int resent_ = -1;
  int recover_to_ = -1;
  bool recovering_ = false;
  bool seek_ = false;
  std::optional<int> marked_;
  std::set<int> sacked_;
};

/// Ours behind the same calls.
class OurSender {
 public:
  explicit OurSender(int window)
      : sender_(find_transport("irn").make_sender(config(window), first)) {
    sender_->post(packets);
  }
  std::optional<int> send() {
    if (!sender_->can_send()) return {};
    return sender_->next(Picoseconds(0)).psn - first;
  }
  void hear(const Answer& a) {
    sender_->on_ack(first + a.next, Picoseconds(0));
    if (!a.beyond) return;
    sender_->on_received(first + *a.beyond);
    sender_->on_nack(first + a.next, Picoseconds(0));
  }
  void time_out() { sender_->on_timeout(Picoseconds(0)); }

  static TransportConfig config(int window) {
    TransportConfig c = plain_config();
    c.window = static_cast<std::uint32_t>(window);
    c.ack_every = 1;
    return c;
  }
  static constexpr Psn first{0xfffffb};

 private:
  std::unique_ptr<TransportSender> sender_;
};

struct History {
  std::string sent;     ///< every packet sent, in order; T before one that a timeout sends
  std::set<int> again;  ///< packets sent more than once
  int timeouts = 0;
  bool evidence_at_timeout = false;  ///< a later packet was known to have arrived then
  bool complete = false;
};

/// One packet a slot, `delay` slots each way, no reordering. The first copy of each packet of
/// `lost` is lost. The timer runs out once nothing is on its way.
template <typename Sender>
History run(int window, int delay, unsigned lost) {
  struct Flying {
    int at;
    int psn;
  };
  Sender sender(window);
  History history;
  std::deque<Flying> data;
  std::deque<std::pair<int, Answer>> answers;
  std::set<int> first_copies, arrived, reported;
  int expected = 0;
  int idle = 0;
  for (int slot = 0; slot < 2'000; ++slot) {
    while (!data.empty() && data.front().at == slot) {
      const int psn = data.front().psn;
      data.pop_front();
      arrived.insert(psn);
      Answer answer;
      if (psn > expected) answer.beyond = psn;
      while (arrived.contains(expected)) ++expected;
      answer.next = expected;
      answers.emplace_back(slot + delay, answer);
    }
    while (!answers.empty() && answers.front().first == slot) {
      const Answer answer = answers.front().second;
      answers.pop_front();
      if (answer.beyond) reported.insert(*answer.beyond);
      reported.erase(reported.begin(), reported.lower_bound(answer.next));
      history.complete |= answer.next == packets;
      sender.hear(answer);
    }
    if (history.complete) break;
    if (const auto psn = sender.send()) {
      idle = 0;
      history.sent += fmt::format("{} ", *psn);
      const bool fresh = first_copies.insert(*psn).second;
      if (!fresh) history.again.insert(*psn);
      if (!fresh || (lost >> *psn & 1) == 0) data.push_back({slot + delay, *psn});
    } else if (data.empty() && answers.empty() && ++idle > 2) {
      idle = 0;
      ++history.timeouts;
      history.evidence_at_timeout |= !reported.empty();
      history.sent += "T ";
      sender.time_out();
    }
  }
  return history;
}

class IrnLosses : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Windows, IrnLosses, testing::Values(4, 8, 16));

TEST_P(IrnLosses, EverySetIsRecoveredAsTheAuthorsDo) {
  for (int delay = 1; delay <= 4; ++delay) {
    for (unsigned lost = 0; lost < 1u << packets; ++lost) {
      const History ours = run<OurSender>(GetParam(), delay, lost);
      const std::string where = fmt::format("delay {}, lost {:011b}: {}", delay, lost, ours.sent);
      ASSERT_TRUE(ours.complete) << where;
      ASSERT_EQ(ours.sent, run<AuthorsSender>(GetParam(), delay, lost).sent) << where;
      for (const int psn : ours.again)
        ASSERT_TRUE(lost >> psn & 1) << psn << " was not lost; " << where;
      ASSERT_FALSE(ours.evidence_at_timeout) << where;
    }
  }
}

}  // namespace
}  // namespace horae::policy::irn_losses_test
