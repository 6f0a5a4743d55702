#include "horae/policy/ordering/window_engine.hpp"

namespace horae::policy {

OrderingAnswer WindowEngine::on_packet(const OrderingPacket& packet) {
  Connection& c = connections_.at(packet.connection);
  if (!c.open) {
    c = {.open = true, .head = packet.head, .last = {}, .bitmap = CircularBitmap(window_)};
    ++open_;
  }
  OrderingAnswer answer;
  answer.expected = c.head;
  const std::int32_t ahead = packet.psn - c.head;
  if (answer_outside(answer, ahead, static_cast<std::int32_t>(window_))) return answer;
  ++answer.ops.words_read;
  if (c.bitmap.set(static_cast<std::uint32_t>(ahead))) {
    answer.tracking = Tracking::duplicate;
    return answer;
  }
  ++answer.ops.words_written;
  if (packet.last) c.last.note(packet.psn);
  if (ahead > 0) {
    answer.tracking = Tracking::out_of_order;
    return answer;
  }
  std::uint32_t words = 0;
  answer.advanced = c.bitmap.take_run(words);
  answer.ops.words_read += words;
  answer.ops.words_written += words;
  c.head = c.head + static_cast<std::int32_t>(answer.advanced);
  answer.expected = c.head;
  answer.completed = c.last.passed(c.head);
  return answer;
}

void WindowEngine::close(ConnectionId connection) {
  Connection* c = connections_.find(connection);
  if (c == nullptr || !c->open) return;
  *c = {};
  --open_;
}

}  // namespace horae::policy
