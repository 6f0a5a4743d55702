// Parts of random scenarios around Themis, and the account of what came of them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace horae::programs::test {

/// Facts about the program that the checker needs.
struct Rules {
  std::uint32_t paths = 4;
  std::uint32_t window = 16;
  bool path_check = true, rerouting = true, ignore_old = true;
  bool keeps = true;   ///< undetermined NACKs
  bool bitmap = true;  ///< knows what has passed (condition C1)
};

/// Behaviour of the network in one scenario.
struct Weather {
  unsigned packets = 100;      ///< of the message
  double loss = 0;             ///< of a packet, on every path
  double burst = 0;            ///< chance that a path begins to lose four packets in a row
  double response_loss = 0;    ///< of an ACK or NACK between the switches
  double last_hop_loss = 0;    ///< of a data packet behind the receiver's switch
  std::int64_t spread = 4000;  ///< ns by which delays of paths differ
  std::int64_t rto = 400'000;
  int slow_path = -1;  ///< this one takes `slow` ns more
  std::int64_t slow = 0;
  int dead_path = -1;  ///< this one loses everything in between
  std::int64_t dead_from = 0, dead_until = 0;
};

/// Events by cause. The first are what Themis promises not to do; the others it cannot
/// help.
struct Causes {
  std::uint64_t searches = 0;  ///< passes that looked for a trigger (PSN queue)
  std::uint64_t stuck = 0;     ///< scenarios with ten timeouts or more
  std::uint64_t scenarios = 0, nacks_passed = 0, nacks_blocked = 0, timeouts = 0;
  // Broken promises.
  std::uint64_t passed_delivered = 0;  ///< a NACK passed for what had gone to the receiver
  std::uint64_t passed_in_time = 0;    ///< ... for what was merely late, for no reason below
  std::uint64_t blocked_lost = 0;      ///< a NACK was blocked as invalid for what never came
  std::uint64_t unexplained_timeout = 0;
  std::uint64_t kept_path = 0;    ///< a retransmission took the path of Eq. 1 all the same
  std::uint64_t past_source = 0;  ///< a NACK reached the sender and not Themis-S
  // NACKs that passed for packets that were not lost, or not any more.
  std::uint64_t late_signalled = 0;  ///< failure handling asked for it at once
  std::uint64_t late_avoided = 0;    ///< the packet or what overtook it had left an avoided path
  std::uint64_t late_rerouted = 0;   ///< ... had been rerouted as a retransmission
  std::uint64_t resent_already = 0;  ///< lost, but a timeout had sent it again before
  std::uint64_t late_unchecked = 0;  ///< no path check
  // NACKs for lost packets that did not reach the sender.
  std::uint64_t lost_last_hop = 0;     ///< blocked: the switch had seen it
  std::uint64_t blocked_old = 0;       ///< blocked: an old duplicate had marked its bit
  std::uint64_t given_up = 0;          ///< undetermined, and dropped
  std::uint64_t given_up_rightly = 0;  ///< likewise, but it was on its way then
  // Timeouts.
  std::uint64_t timeout_not_lost = 0, timeout_answer_coming = 0, timeout_answer_lost = 0,
                timeout_last_hop = 0, timeout_resend_lost = 0, timeout_nack_lost = 0,
                timeout_tail = 0, timeout_blocked = 0;

  std::string text() const {
    return fmt::format(
        "{} scenarios: {} NACKs passed, {} blocked, {} timeouts, {} searches; {} stuck\n"
        "  promises broken: delivered {}, in time {}, blocked though lost {}, timeouts {}, "
        "paths kept {}, past Themis-S {}\n"
        "  passed though not lost: signalled {}, avoided path {}, rerouted {}, sent again already "
        "{}, no path check {}\n"
        "  not passed though lost: last hop {}, old duplicate {}, given up {} (and {} on their "
        "way)\n"
        "  timeouts: not lost {}, answer on its way {}, answer lost {}, last hop {}, "
        "retransmission lost {}, NACK lost "
        "{}, tail {}, blocked {}\n",
        scenarios, nacks_passed, nacks_blocked, timeouts, searches, stuck, passed_delivered,
        passed_in_time, blocked_lost, unexplained_timeout, kept_path, past_source, late_signalled,
        late_avoided, late_rerouted, resent_already, late_unchecked, lost_last_hop, blocked_old,
        given_up, given_up_rightly, timeout_not_lost, timeout_answer_coming, timeout_answer_lost,
        timeout_last_hop, timeout_resend_lost, timeout_nack_lost, timeout_tail, timeout_blocked);
  }
  std::uint64_t broken() const {
    return passed_delivered + passed_in_time + blocked_lost + unexplained_timeout + kept_path +
           past_source;
  }
};

}  // namespace horae::programs::test
