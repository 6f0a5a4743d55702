#include "horae/policy/ordering/eunomia.hpp"

#include "horae/policy/ordering/eunomia_cycles.hpp"

namespace horae::policy {
namespace {

constexpr Bytes dba = 4_B;
constexpr std::int64_t word_bytes = 2;
constexpr std::uint32_t metadata_fetched = 9;  // variables and the address of block 0

void add(OrderingOps& to, const OrderingOps& ops) {
  to.words_read += ops.words_read;
  to.words_written += ops.words_written;
  to.searched += ops.searched;
  to.allocated += ops.allocated;
  to.released += ops.released;
  to.steps += ops.steps;
  to.fetches += ops.fetches;
  to.search_clocks += ops.search_clocks;
}

}  // namespace

EunomiaEngine::EunomiaEngine(const PolicyParameters& parameters)
    : memory_(EunomiaLayout(parameters)), bitmap_(memory_) {}

OrderingAnswer EunomiaEngine::decide(const OrderingPacket& packet) {
  Connection& c = connections_.at(packet.connection);
  if (!c.known) {
    c = {.known = true, .conn_module_valid = false, .expected = packet.head};
    ++known_;
  }
  OrderingOps creation;
  if (!c.conn_module_valid) {
    OrderingAnswer answer;
    answer.expected = c.expected;
    const std::int32_t ahead = packet.psn - c.expected;
    if (ahead == 0) {
      answer.expected = ++c.expected;
      answer.advanced = 1;
      answer.completed = packet.last;
      return answer;
    }
    if (ahead < 0) {
      answer.tracking = Tracking::duplicate;
      return answer;
    }
    answer.rejection = ahead >= static_cast<std::int32_t>(memory_.layout().cap())
                           ? Rejection::reach
                           : bitmap_.create(packet.connection, c.expected, answer.ops);
    if (answer.rejection != Rejection::none) {
      answer.tracking = Tracking::rejected;
      return answer;
    }
    c.conn_module_valid = true;
    creation = answer.ops;
  }
  OrderingAnswer answer = bitmap_.on_packet(
      packet.connection, *memory_.metadata_start(packet.connection), packet.psn, packet.last);
  if (creation.steps == 0) {
    answer.ops.steps += 2 + 1;  // the bitmap module begins and ends; the request for metadata
    answer.ops.fetches += metadata_fetched;
  }
  add(answer.ops, creation);
  c.expected = answer.expected;
  if (answer.completed) {
    c.conn_module_valid = memory_.metadata_start(packet.connection).has_value();
  }
  return answer;
}

OrderingAnswer EunomiaEngine::on_packet(const OrderingPacket& packet) {
  OrderingAnswer answer = decide(packet);
  answer.ops.steps += 2;  // the driver decides, and answers
  answer.ops.cycles = eunomia_cycles(answer.ops);
  return answer;
}

void EunomiaEngine::close(ConnectionId connection) {
  Connection* c = connections_.find(connection);
  if (c == nullptr || !c->known) return;
  OrderingOps ops;
  if (c->conn_module_valid) {
    bitmap_.release(connection, *memory_.metadata_start(connection), ops);
  }
  *c = {};
  --known_;
}

OrderingMemory EunomiaEngine::memory() const {
  const std::int64_t rows = memory_.rows_in_use();
  const std::int64_t metadata_words = rows * memory_.layout().metadata_words;
  return {.fixed = known_ * dba,
          .bitmap = Bytes((memory_.allocated_words() - metadata_words) * word_bytes),
          .metadata = Bytes(metadata_words * word_bytes) + rows * MemoryController::index_row_size};
}

Bytes EunomiaEngine::provided(std::uint32_t connections) const {
  const EunomiaLayout& layout = memory_.layout();
  return Bytes(std::int64_t{layout.words} * word_bytes) +
         Bytes((std::int64_t{layout.words} + 7) / 8) +
         std::int64_t{layout.index_entries} * MemoryController::index_row_size +
         std::int64_t{connections} * dba;
}

EunomiaEngine::Connection EunomiaEngine::connection(ConnectionId id) const {
  const Connection* c = connections_.find(id);
  return c == nullptr ? Connection{} : *c;
}

HdState EunomiaEngine::bitmap(ConnectionId id) const {
  const auto start = memory_.metadata_start(id);
  if (!start) throw ModelError("connection " + std::to_string(id) + " has no bitmap");
  return bitmap_.state(*start);
}

}  // namespace horae::policy
