// An ordering layer without limits: what any engine can do at best.
#include "horae/policy/ordering/connection_table.hpp"
#include "horae/policy/ordering/last_packet.hpp"
#include "horae/policy/transport/sequence_bitmap.hpp"

namespace horae::policy {
namespace {

// PSNs further ahead than this are behind (horae/core/psn.hpp).
constexpr std::int32_t furthest = 1 << (Psn::bits - 1);

// Memory is what is needed, not what the model takes: the 64-bit words from that of the expected
// PSN to that of the highest one tracked, nothing while nothing is ahead. OrderingOps counts the
// same words.
class IdealOrdering final : public OrderingEngine {
 public:
  OrderingAnswer on_packet(const OrderingPacket& packet) override;
  void close(ConnectionId connection) override {
    Connection* c = connections_.find(connection);
    if (c == nullptr || !c->open) return;
    words_ -= words(*c);
    *c = {};
  }
  OrderingMemory memory() const override {
    return {.fixed = {}, .bitmap = Bytes(words_ * 8), .metadata = {}};
  }
  Bytes provided(std::uint32_t connections) const override {
    return std::int64_t{connections} * Bytes(furthest / 8);
  }

 private:
  struct Connection {
    bool open = false;
    SequenceBitmap bitmap{64, Psn(0)};  // its base is the expected PSN
    Psn end;                            // one past the highest tracked, or the base
    LastPacket last;
  };

  static std::int64_t words(const Connection& c) {
    const std::int32_t span = c.end - c.bitmap.base();
    if (span <= 0) return 0;
    return (static_cast<std::int32_t>(c.bitmap.base().value() % 64) + span + 63) / 64;
  }
  static void grow(SequenceBitmap& bitmap, std::int32_t ahead);

  std::int64_t words_ = 0;
  ConnectionTable<Connection> connections_;
};

void IdealOrdering::grow(SequenceBitmap& bitmap, std::int32_t ahead) {
  SequenceBitmap larger(static_cast<std::uint32_t>(ahead) + 1, bitmap.base());
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(bitmap.size()); ++i) {
    if (bitmap.test(bitmap.base() + i)) larger.set(bitmap.base() + i);
  }
  bitmap = larger;
}

OrderingAnswer IdealOrdering::on_packet(const OrderingPacket& packet) {
  Connection& c = connections_.at(packet.connection);
  if (!c.open) {
    c = {.open = true, .bitmap = SequenceBitmap(64, packet.head), .end = packet.head, .last = {}};
  }
  OrderingAnswer answer;
  answer.expected = c.bitmap.base();
  const std::int32_t ahead = packet.psn - c.bitmap.base();
  if (ahead < 0) {
    answer.tracking = Tracking::duplicate;
    return answer;
  }
  if (ahead >= static_cast<std::int32_t>(c.bitmap.size())) grow(c.bitmap, ahead);
  ++answer.ops.words_read;
  if (c.bitmap.test(packet.psn)) {
    answer.tracking = Tracking::duplicate;
    return answer;
  }
  ++answer.ops.words_written;
  words_ -= words(c);
  c.bitmap.set(packet.psn);
  if (!packet.psn.before(c.end)) c.end = packet.psn + 1;
  if (packet.last) c.last.note(packet.psn);
  answer.tracking = Tracking::out_of_order;
  if (ahead == 0) {
    answer.tracking = Tracking::in_order;
    const std::uint32_t before = c.bitmap.base().value() % 64;
    answer.advanced = c.bitmap.advance();
    const std::uint32_t touched = (before + answer.advanced) / 64;
    answer.ops.words_read += touched;
    answer.ops.words_written += touched;
    answer.expected = c.bitmap.base();
    answer.completed = c.last.passed(c.bitmap.base());
  }
  words_ += words(c);
  return answer;
}

}  // namespace

OrderingEntry ideal_ordering() {
  return {.name = "ideal",
          .doc = "an ideal engine that tracks every packet, with unlimited memory",
          .make = [](const PolicyParameters&) -> std::unique_ptr<OrderingEngine> {
            return std::make_unique<IdealOrdering>();
          }};
}

}  // namespace horae::policy
