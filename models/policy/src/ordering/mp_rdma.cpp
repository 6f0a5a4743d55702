// MP-RDMA (Lu et al., NSDI 2018): 64 slots of two bits per connection.
#include <bit>

#include "horae/policy/ordering/connection_table.hpp"
#include "horae/policy/ordering/window_engine.hpp"

namespace horae::policy {
namespace {

constexpr std::int32_t slots = 64;
// Eunomia, Table 2: 17 B of bitmap (64 slots of 2 bits, and 1 B for the head's index) and 49 B of
// other data: the 66 B per connection of MP-RDMA's abstract.
constexpr Bytes bitmap_size = Bytes(slots * 2 / 8) + 1_B;
constexpr Bytes state_size = 49_B;

// A slot is empty (00), received (01), tail of a message (10), or tail with completion (11). Of
// messages the seam knows the connection's last packet only, so 10 does not occur.
struct Slots {
  std::uint64_t low = 0;  // bit i: the packet i ahead of the head
  std::uint64_t high = 0;
};

class MpRdmaOrdering final : public OrderingEngine {
 public:
  OrderingAnswer on_packet(const OrderingPacket& packet) override;
  void close(ConnectionId connection) override {
    Connection* c = connections_.find(connection);
    if (c == nullptr || !c->open) return;
    *c = {};
    --open_;
  }
  OrderingMemory memory() const override {
    return {.fixed = open_ * state_size, .bitmap = open_ * bitmap_size, .metadata = {}};
  }
  Bytes provided(std::uint32_t connections) const override {
    return std::int64_t{connections} * (bitmap_size + state_size);
  }

 private:
  struct Connection {
    bool open = false;
    Psn head;
    Slots slots;
  };
  std::int64_t open_ = 0;
  ConnectionTable<Connection> connections_;
};

// OrderingOps counts the slots of a connection as one word.
OrderingAnswer MpRdmaOrdering::on_packet(const OrderingPacket& packet) {
  Connection& c = connections_.at(packet.connection);
  if (!c.open) {
    c = {.open = true, .head = packet.head, .slots = {}};
    ++open_;
  }
  OrderingAnswer answer;
  answer.expected = c.head;
  const std::int32_t ahead = packet.psn - c.head;
  if (answer_outside(answer, ahead, slots)) return answer;
  ++answer.ops.words_read;
  const std::uint64_t slot = std::uint64_t{1} << ahead;
  if (((c.slots.low | c.slots.high) & slot) != 0) {
    answer.tracking = Tracking::duplicate;
    return answer;
  }
  ++answer.ops.words_written;
  c.slots.low |= slot;
  if (packet.last) c.slots.high |= slot;
  if (ahead > 0) {
    answer.tracking = Tracking::out_of_order;
    return answer;
  }
  const int run = std::countr_one(c.slots.low | c.slots.high);
  const std::uint64_t passed = run == slots ? ~std::uint64_t{0} : (std::uint64_t{1} << run) - 1;
  answer.advanced = static_cast<std::uint32_t>(run);
  answer.completed = (c.slots.low & c.slots.high & passed) != 0;
  c.slots = run == slots ? Slots{} : Slots{c.slots.low >> run, c.slots.high >> run};
  c.head = c.head + run;
  answer.expected = c.head;
  return answer;
}

}  // namespace

OrderingEntry mp_rdma_ordering() {
  return {.name = "mp_rdma",
          .doc = "MP-RDMA: 64 slots of two bits",
          .make = [](const PolicyParameters&) -> std::unique_ptr<OrderingEngine> {
            return std::make_unique<MpRdmaOrdering>();
          }};
}

}  // namespace horae::policy
