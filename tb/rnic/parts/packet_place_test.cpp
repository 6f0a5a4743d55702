// Where in which message a PSN lies.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "horae/core/random.hpp"
#include "horae/rnic/parts/queue_pair.hpp"

namespace horae::test::packet_place_test {
namespace {

using rnic::PacketPlace;
using rnic::QueuePair;

constexpr std::uint32_t window = 64;
constexpr std::int64_t mtu = 1024;

/// Messages of so many packets each, the last one short, one after the other without end.
class Sizes final : public traffic::TrafficSource {
 public:
  Sizes(std::uint64_t seed, std::uint32_t most) : random_(seed, "sizes"), most_(most) {}
  std::optional<traffic::TrafficItem> next() override {
    const std::int64_t packets = 1 + random_.below(most_);
    return traffic::TrafficItem{.bytes = Bytes((packets - 1) * mtu + 1 + random_.below(mtu))};
  }

 private:
  RandomStream random_;
  std::uint32_t most_;
};

/// A queue pair beside a list of its messages.
class Places {
 public:
  Places(std::uint64_t seed, Psn first, std::uint32_t most)
      : random_(seed, "places"), sizes_(seed, most), first_(first) {
    rnic::QueuePairConfig config;
    config.first_send = first;
    config.depth = 8;
    config.source = std::make_unique<Sizes>(seed, most);
    policy::TransportConfig transport;
    transport.window = window;
    qp_ = std::make_unique<QueuePair>(std::move(config), policy::find_transport("rnic_sr"),
                                      transport, Bytes(mtu));
    post();
  }

  std::int64_t sent() const { return sent_; }
  std::int64_t posted() const { return messages_.back().first + messages_.back().packets; }

  /// Whether the packet sent last is the first one of its message.
  bool began_a_message() const {
    return std::any_of(messages_.begin(), messages_.end(),
                       [this](const Message& m) { return m.first == sent_ - 1; });
  }

  /// Packets up to here have been on the wire; all of them but less than a window are acknowledged.
  void send(std::int64_t packets) {
    sent_ = std::min(sent_ + packets, posted());
    expect(sent_ - 1, false);
    const std::int64_t all = std::max(acked_, sent_ - random_.below(window));
    qp_->acknowledged(static_cast<std::uint32_t>(all - acked_), 0_ps);
    acked_ = all;
    post();
  }
  /// A packet that may be sent again is where its list says; so is one that is read ahead.
  void look() {
    expect(std::max<std::int64_t>(0, acked_ - 1 - random_.below(window)), false);
    const auto ahead = static_cast<std::uint32_t>(posted() - sent_);
    if (ahead > 0) expect(sent_ + random_.below(ahead), true);
  }
  void expect(std::int64_t packet, bool ahead) {
    const Psn psn = first_ + static_cast<std::int32_t>(packet & Psn::mask);
    std::size_t i = messages_.size() - 1;
    while (messages_[i].first > packet) --i;
    const Message& m = messages_[i];
    const PacketPlace place = ahead ? qp_->place_ahead(psn) : qp_->place(psn);
    const auto left = m.packets - (packet - m.first);
    ASSERT_EQ(place.message, m.ordinal) << "packet " << packet;
    ASSERT_EQ(place.left, left) << "packet " << packet;
    ASSERT_EQ(place.payload, left == 1 ? m.bytes - (m.packets - 1) * mtu : mtu);
    ASSERT_EQ(ends_message(place.opcode), left == 1);
  }

 private:
  struct Message {
    std::int64_t first, packets, bytes;
    std::uint64_t ordinal;
  };

  void post() {
    qp_->post_due(0_ps);
    while (ordinal_ < qp_->progress().posted_messages) {
      const std::int64_t bytes = sizes_.next()->bytes.count();
      const std::int64_t first = messages_.empty() ? 0 : posted();
      messages_.push_back({first, (bytes + mtu - 1) / mtu, bytes, ordinal_++});
    }
    while (messages_.size() > 300) messages_.pop_front();
  }

  RandomStream random_;
  Sizes sizes_;
  Psn first_;
  std::unique_ptr<QueuePair> qp_;
  std::deque<Message> messages_;
  std::uint64_t ordinal_ = 0;
  std::int64_t sent_ = 0, acked_ = 0;
};

TEST(PacketPlace, IsFoundForNewPacketsThoseSentAgainAndThoseReadAhead) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomStream random(seed, "walk");
    Places places(seed, Psn(random.bits()), 1 + random.below(200));
    while (places.sent() < 20'000 && !HasFatalFailure()) {
      places.send(1 + random.below(random.chance(0.1) ? window : 3));
      if (random.chance(0.5)) places.look();
    }
  }
}

// PSNs come again after 2^24: what was looked up long ago is another message by then.
TEST(PacketPlace, AnOldMessageIsNotMistakenForANewOneWithItsPsns) {
  constexpr std::int64_t most = 40;  // packets of a message: less than a window
  for (const std::uint32_t first : {0u, 0x800000u, 0xfffff0u}) {
    Places places(first, Psn(first), most);
    do {
      places.send(1);
    } while (places.sent() < 1000 || !places.began_a_message());
    const std::int64_t looked = places.sent() - 2;
    places.expect(looked, false);
    // Nothing is sent again until others have its PSN, in a message that is not the newest.
    const std::int64_t again = looked + (std::int64_t{1} << Psn::bits);
    while (places.sent() < again + most + 2 && !HasFatalFailure()) {
      places.send(again + most + 2 - places.sent());
    }
    places.expect(again, false);
  }
}

}  // namespace
}  // namespace horae::test::packet_place_test
