// Go-back-0: a loss costs the whole message.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "horae/policy/transport/transport.hpp"

namespace horae::policy {
namespace {

TransportConfig small() {
  TransportConfig config;
  config.window = 4;
  config.ack_every = 2;
  config.ack_request_every = 0;
  return config;
}

/// Both halves, with nothing between them but who is lost.
struct Pair {
  explicit Pair(const TransportConfig& config, Psn first = Psn(0))
      : first(first),
        sender(find_transport("go_back_0").make_sender(config, first)),
        receiver(find_transport("go_back_0").make_receiver(config, first)) {}

  void post(std::uint32_t packets) {
    sender->post(packets);
    end += static_cast<int>(packets);
    ends.push_back(end - 1);
  }
  /// One packet; whether it arrives.
  int send(bool arrives = true) {
    const int psn = sender->next(now).psn - first;
    ++sent;
    if (!arrives) return psn;
    const bool last = std::find(ends.begin(), ends.end(), psn) != ends.end();
    const auto out = receiver->on_data(first + psn, last, last);
    delivered += out.placement == Placement::deliver ? 1 : 0;
    if (!out.response) return psn;
    if (out.response->nack)
      sender->on_nack(out.response->psn, now);
    else
      acked += static_cast<int>(sender->on_ack(out.response->psn, now).newly_acked);
    return psn;
  }

  Psn first;
  std::unique_ptr<TransportSender> sender;
  std::unique_ptr<TransportReceiver> receiver;
  std::vector<int> ends;
  Picoseconds now = 1_us;
  int end = 0, sent = 0, delivered = 0, acked = 0;
};

TEST(GoBack0, WithoutLossesEveryPacketGoesOnce) {
  Pair p(small(), Psn(0xfffffb));
  for (int m = 0; m < 5; ++m) p.post(10);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(p.sender->can_send()) << i;
    EXPECT_EQ(p.send(), i);
  }
  EXPECT_FALSE(p.sender->can_send());
  EXPECT_EQ(p.acked, 50);
  EXPECT_EQ(p.delivered, 50);
}

TEST(GoBack0, ALossSendsTheMessageFromItsFirstPacket) {
  Pair p(small());
  p.post(3);
  p.post(8);
  for (int i = 0; i < 6; ++i) p.send();
  EXPECT_EQ(p.send(false), 6);
  EXPECT_EQ(p.send(), 7);  // out of order: NACKed
  for (int i = 3; i < 11; ++i) EXPECT_EQ(p.send(), i);
  EXPECT_FALSE(p.sender->can_send());
  EXPECT_EQ(p.acked, 11);
  EXPECT_EQ(p.delivered, 11);  // payload that came twice is none
  EXPECT_EQ(p.sent, 6 + 2 + 8);
}

// One loss in each 256 packets: a message of as many never ends.
TEST(GoBack0, MessagesLongerThanTheWayBetweenLossesNeverEnd) {
  for (const int message : {250, 256, 4096}) {
    Pair p(small());
    p.post(static_cast<std::uint32_t>(message));
    for (int i = 1; i <= 20 * 256 && p.sender->can_send(); ++i) p.send(i % 256 != 255);
    EXPECT_EQ(p.acked, message == 250 ? 250 : 0) << message;
  }
}

TEST(GoBack0, ATimeoutIsFromTheFirstPacketOnBothSides) {
  Pair p(small());
  p.post(4);
  for (int i = 0; i < 3; ++i) p.send();
  p.send(false);
  EXPECT_FALSE(p.sender->can_send());
  p.now = p.sender->next_deadline();
  p.sender->on_timeout(p.now);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(p.send(), i);
  EXPECT_EQ(p.acked, 4);
  EXPECT_EQ(p.delivered, 4);
  EXPECT_FALSE(p.sender->can_send());
}

TEST(GoBack0, TheWindowHoldsMessagesBackAndNotTheRestOfOne) {
  Pair p(small());
  p.post(7);
  p.post(2);
  int n = 0;
  while (p.sender->can_send()) p.send(false), ++n;
  EXPECT_EQ(n, 7);
}

}  // namespace
}  // namespace horae::policy
