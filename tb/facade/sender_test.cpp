// Senders for callers of C: packets, retransmissions and completions are those of a NIC's queue
// pair, and nothing that is thrown comes out.
#include "horae/facade/sender.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "horae/core/psn.hpp"
#include "horae/core/random.hpp"
#include "horae/core/roce.hpp"
#include "horae/policy/transport/transport.hpp"

namespace horae::facade_sender_test {
namespace {

using Sender = std::unique_ptr<horae_sender, decltype(&horae_sender_destroy)>;

Sender create(const char* settings, std::uint32_t first = 0) {
  return {horae_sender_create(settings, first), &horae_sender_destroy};
}

horae_sender_packet next(const Sender& s, std::uint64_t now = 0) {
  horae_sender_packet p{};
  EXPECT_EQ(horae_sender_next(s.get(), now, &p), HORAE_OK) << horae_error();
  return p;
}

TEST(FacadeSender, MessagesBecomePackets) {
  const auto s = create("transport=go_back_n mtu=1KiB reliability.window=8", 0xffffff);
  ASSERT_NE(s, nullptr) << horae_error();
  EXPECT_EQ(horae_sender_can_send(s.get()), 0);
  ASSERT_EQ(horae_sender_post(s.get(), 2500), HORAE_OK);
  ASSERT_EQ(horae_sender_post(s.get(), 1024), HORAE_OK);
  // The first one asks as every 256th PSN does.
  const std::vector<std::vector<std::uint32_t>> expected = {
      {0xffffff, 0x06, 1024, 1, HORAE_SEND_FRESH, 0, 3},
      {0, 0x07, 1024, 0, HORAE_SEND_FRESH, 0, 2},
      {1, 0x08, 452, 1, HORAE_SEND_FRESH, 0, 1},
      {2, 0x0a, 1024, 1, HORAE_SEND_FRESH, 1, 1}};
  for (const auto& e : expected) {
    ASSERT_EQ(horae_sender_can_send(s.get()), 1);
    const auto p = next(s);
    EXPECT_EQ((std::vector<std::uint32_t>{p.psn, p.opcode, p.payload, p.ack_request, p.kind,
                                          p.message, p.left}),
              e);
  }
  EXPECT_EQ(horae_sender_can_send(s.get()), 0);
  std::uint32_t completed = 9;
  ASSERT_EQ(horae_sender_ack(s.get(), 0, 10, &completed), HORAE_OK);
  EXPECT_EQ(completed, 0u);
  // A NAK for the last packet of the first message: it and all behind it again.
  ASSERT_EQ(horae_sender_nak(s.get(), 1, 20, &completed), HORAE_OK);
  EXPECT_EQ(completed, 0u);
  EXPECT_EQ(next(s, 20).psn, 1u);
  EXPECT_EQ(next(s, 20).kind, static_cast<std::uint32_t>(HORAE_SEND_REWIND));
  ASSERT_EQ(horae_sender_ack(s.get(), 2, 30, &completed), HORAE_OK);
  EXPECT_EQ(completed, 2u);
  ASSERT_EQ(horae_sender_ack(s.get(), 2, 30, &completed), HORAE_OK);
  EXPECT_EQ(completed, 0u);
}

// Against the transport alone, with messages kept apart by the test.
TEST(FacadeSender, DecidesAsTheTransport) {
  for (const std::string transport : {"go_back_n", "rnic_sr", "timeout_only", "irn"}) {
    const auto s = create(
        ("transport=" + transport + " mtu=512B reliability.window=24 reliability.rto=4us").c_str(),
        77);
    ASSERT_NE(s, nullptr) << horae_error();
    policy::TransportConfig config;
    config.window = 24;
    config.rto = 4_us;
    const auto model = policy::find_transport(transport).make_sender(config, Psn(77));
    struct Part {
      std::uint32_t payload, left, message;
    };
    std::vector<Part> parts;  // by PSN - 77
    std::vector<std::uint32_t> ends;
    RandomStream random(3, "test");
    std::uint64_t now = 0, sent = 0, again = 0, timeouts = 0;
    std::size_t completed = 0;
    for (int i = 0; i < 20'000; ++i) {
      now += random.below(300'000);
      const auto time = Picoseconds(static_cast<std::int64_t>(now));
      const std::uint32_t what = random.below(10);
      if (what == 0 && model->unsent() < 40) {
        const std::uint32_t bytes = 1 + random.below(5000);
        ASSERT_EQ(horae_sender_post(s.get(), bytes), HORAE_OK);
        const std::uint32_t packets = (bytes + 511) / 512;
        for (std::uint32_t k = 0; k < packets; ++k)
          parts.push_back({k + 1 == packets ? bytes - 512 * k : 512, packets - k,
                           static_cast<std::uint32_t>(ends.size())});
        ends.push_back(static_cast<std::uint32_t>(parts.size()));
        model->post(packets);
      } else if (what < 3) {
        const Psn told = model->oldest_unacked() +
                         (static_cast<std::int32_t>(random.below(model->unacked() + 6)) - 3);
        const bool nak = random.chance(0.4);
        std::uint32_t done = 0;
        ASSERT_EQ((nak ? horae_sender_nak : horae_sender_ack)(s.get(), told.value(), now, &done),
                  HORAE_OK);
        nak ? model->on_nack(told, time) : model->on_ack(told + 1, time);
        if (random.chance(0.3)) {
          ASSERT_EQ(horae_sender_received(s.get(), (told + 2).value()), HORAE_OK);
          model->on_received(told + 2);
        }
        const auto acked = static_cast<std::uint32_t>(model->oldest_unacked() - Psn(77));
        std::size_t whole = completed;
        while (whole < ends.size() && ends[whole] <= acked) ++whole;
        EXPECT_EQ(done, whole - completed);
        completed = whole;
      } else if (what == 3) {
        std::uint64_t at = 0;
        ASSERT_EQ(horae_sender_deadline(s.get(), &at), HORAE_OK);
        const Picoseconds deadline = model->next_deadline();
        EXPECT_EQ(at,
                  deadline == never ? HORAE_NEVER : static_cast<std::uint64_t>(deadline.count()));
        if (at == HORAE_NEVER || at > now) continue;
        std::uint32_t gave_up = 9;
        ASSERT_EQ(horae_sender_timeout(s.get(), now, &gave_up), HORAE_OK);
        EXPECT_EQ(gave_up, 0u);
        model->on_timeout(time);
        ++timeouts;
      } else {
        ASSERT_EQ(horae_sender_can_send(s.get()) != 0, model->can_send());
        if (!model->can_send()) continue;
        const policy::Transmission t = model->next(time);
        const auto p = next(s, now);
        const Part& part = parts.at(static_cast<std::size_t>(t.psn - Psn(77)));
        ASSERT_EQ(p.psn, t.psn.value());
        ASSERT_EQ(p.kind, static_cast<std::uint32_t>(t.kind));
        ASSERT_EQ(p.payload, part.payload);
        ASSERT_EQ(p.left, part.left);
        ASSERT_EQ(p.message, part.message);
        ASSERT_EQ(p.ack_request != 0, t.ack_request || part.left == 1);
        ++sent;
        again += t.kind != policy::SendKind::fresh;
      }
    }
    EXPECT_GT(sent, 5000u) << transport;
    EXPECT_GT(again, 200u) << transport;
    EXPECT_GT(timeouts, 20u) << transport;
    EXPECT_GT(completed, 300u) << transport;
  }
}

TEST(FacadeSender, GivesUpAfterItsRetries) {
  const auto s = create("transport=go_back_n reliability.ack_timeout=1 reliability.retry_count=2");
  ASSERT_NE(s, nullptr) << horae_error();
  ASSERT_EQ(horae_sender_post(s.get(), 10), HORAE_OK);
  next(s);
  for (int i = 0; i < 3; ++i) {
    std::uint64_t at = 0;
    ASSERT_EQ(horae_sender_deadline(s.get(), &at), HORAE_OK);
    std::uint32_t gave_up = 9;
    EXPECT_EQ(horae_sender_timeout(s.get(), at - 1, &gave_up), HORAE_REFUSED);
    ASSERT_EQ(horae_sender_timeout(s.get(), at, &gave_up), HORAE_OK);
    EXPECT_EQ(gave_up, i == 2 ? 1u : 0u) << i;
    if (i == 2) break;
    EXPECT_EQ(next(s, at).kind, static_cast<std::uint32_t>(HORAE_SEND_TIMEOUT));
  }
  EXPECT_EQ(horae_sender_can_send(s.get()), 0);
}

TEST(FacadeSender, WhatIsWrongIsRefusedInOneLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"transport=go_back", "did you mean 'go_back_n'?"},
      {"transport=spray_sr", "transport = \"spray_sr\" has acknowledgements that report single"},
      {"mtu=64B", "setting mtu: mtu = 64 B is below"},
      {"windov=8", "windov"},
      {"reliability.windov=8", "did you mean 'window'?"},
      {"mtu", "setting 'mtu': expected KEY=VALUE"},
      {nullptr, "settings is null"},
  };
  for (const auto& [settings, message] : cases) {
    EXPECT_EQ(create(settings), nullptr) << settings;
    const std::string said = horae_error();
    EXPECT_NE(said.find(message), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    EXPECT_EQ(said.find("--set"), std::string::npos) << said;
  }
  EXPECT_EQ(create("", 1u << 24), nullptr);
  EXPECT_STREQ(horae_error(), "first_psn = 16777216 is above the maximum 2^24 - 1");

  const auto s = create("transport=go_back_n");
  const auto refused = [](int status) {
    EXPECT_EQ(status, HORAE_REFUSED);
    return std::string(horae_error());
  };
  horae_sender_packet p{};
  std::uint32_t completed = 5, gave_up = 5;
  EXPECT_NE(refused(horae_sender_next(s.get(), 0, &p)).find("there is no packet to send"),
            std::string::npos);
  EXPECT_EQ(refused(horae_sender_post(s.get(), 0)), "bytes = 0; expected 1 to 2^31");
  EXPECT_EQ(refused(horae_sender_post(nullptr, 1)), "sender is null; expected an object");
  EXPECT_EQ(refused(horae_sender_timeout(s.get(), 0, &gave_up)),
            "no retransmission timer runs; expected a deadline");
  EXPECT_EQ(refused(horae_sender_ack(s.get(), 1u << 24, 0, &completed)),
            "psn = 16777216 is above the maximum 2^24 - 1");
  EXPECT_EQ(horae_sender_ack(s.get(), 0, 100, &completed), HORAE_OK);
  EXPECT_EQ(refused(horae_sender_ack(s.get(), 0, 99, &completed)),
            "now = 99 ps; expected 100 ps or later");
  EXPECT_EQ(completed, 0u);
  EXPECT_EQ(horae_sender_can_send(nullptr), 0);
  int posted = 0;
  while (horae_sender_post(s.get(), std::uint64_t{1} << 31) == HORAE_OK) ++posted;
  EXPECT_EQ(posted, 1);  // 2^21 packets of 1 KiB; a second is more than PSNs can tell apart
  EXPECT_NE(std::string(horae_error()).find("packets posted and not acknowledged"),
            std::string::npos);
}

}  // namespace
}  // namespace horae::facade_sender_test
