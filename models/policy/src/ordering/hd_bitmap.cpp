#include "horae/policy/ordering/hd_bitmap.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace horae::policy {
namespace {

constexpr std::uint32_t state_words = 8;
using Words = std::array<std::uint16_t, state_words>;

std::uint16_t low(std::uint32_t value) { return static_cast<std::uint16_t>(value); }
std::uint16_t high(std::uint32_t value) { return static_cast<std::uint16_t>(value >> 16); }

Words pack(const HdState& s) {
  return {low(s.head.value()),
          high(s.head.value()),
          low(s.tail.value()),
          high(s.tail.value()),
          low(s.last_seq),
          high(s.last_seq),
          low(s.head_block | s.head_index << 8),
          low(s.circular | s.dynamic << 8)};
}

// The state of the nine words from `word` on.
HdState unpack(const std::uint16_t* word) {
  const auto two = [&](int i) { return word[i] | std::uint32_t{word[i + 1]} << 16; };
  return {.head = Psn(two(0)),
          .tail = Psn(two(2)),
          .last_seq = two(4),
          .head_block = word[6] & 0xffu,
          .head_index = std::uint32_t{word[6]} >> 8,
          .circular = word[7] & 0xffu,
          .dynamic = std::uint32_t{word[7]} >> 8,
          .base = word[8]};
}

}  // namespace

/// The steps of a packet: the state is read at the beginning and what changed is written back at
/// the end.
class HdBitmap::Packet {
 public:
  Packet(MemoryController& memory, std::uint32_t start, OrderingOps& ops)
      : memory_(memory),
        layout_(memory.layout()),
        start_(start),
        ops_(ops),
        s_(unpack(&memory.master_array()[start])) {
    ops.words_read += state_words + 1;
  }

  HdState& state() { return s_; }
  Rejection reach(Psn psn);
  bool set(Psn psn);
  std::uint32_t advance();
  void absorb();
  bool clear(std::uint32_t blocks);
  void store();

  // Clocks of the hardware, which does the same in another way: a word that is there already is
  // not fetched again, and the address of the block used last is known.
  void locate() { ++ops_.steps; }
  void mark() { ++ops_.steps; }
  void no_scan() { scan_over_ = true; }
  void keep() { ops_.steps += state_words; }
  std::uint32_t located() const { return located_; }

 private:
  void fetch(std::uint32_t block) {
    if (block != 0 && block != located_) {
      ++ops_.fetches;
      located_ = block;
    }
    ++ops_.fetches;
  }
  std::uint32_t bits() const { return layout_.block_bits; }
  std::uint32_t circular_bits() const { return s_.circular * bits(); }
  std::uint32_t head_position() const { return s_.head_block * bits() + s_.head_index; }
  void set_head_position(std::uint32_t position) {
    s_.head_block = position / bits();
    s_.head_index = position % bits();
  }
  std::uint32_t block_address(std::uint32_t block) const {
    if (block == 0) return s_.base;
    return low(s_.base + memory_.read(start_ + state_words + block, ops_));
  }
  std::uint32_t position(Psn psn) const;
  std::uint32_t take_run(std::uint32_t from, std::uint32_t to);

  MemoryController& memory_;
  const EunomiaLayout& layout_;
  std::uint32_t start_;
  OrderingOps& ops_;
  HdState s_;
  std::uint32_t located_ = 0;  // block whose address the hardware knows, beside that of block 0
  bool in_hand_ = false;       // it has the first word of the run
  std::uint32_t scanned_ = 0;  // blocks it has found clear
  bool scan_over_ = false;     // it has found a bit that is set, or knows of one
};

// Adds blocks to the linear portion until it reaches `psn`. Those added before room runs out stay.
Rejection HdBitmap::Packet::reach(Psn psn) {
  const Psn furthest = s_.tail + static_cast<std::int32_t>((s_.dynamic - s_.circular) * bits());
  const std::int32_t beyond = psn - furthest;
  if (beyond <= 0) return Rejection::none;
  const std::uint32_t need = (static_cast<std::uint32_t>(beyond) + bits() - 1) / bits();
  if (s_.dynamic + need > layout_.max_blocks) return Rejection::reach;
  for (std::uint32_t i = 0; i < need; ++i) {
    ++ops_.steps;  // the request
    const std::optional<std::uint16_t> block = memory_.allocate_block(ops_);
    if (!block) return Rejection::no_block;
    ops_.steps += layout_.block_words + 2;  // clear it, note its address and the new size
    memory_.write(start_ + state_words + s_.dynamic, low(*block - s_.base), ops_);
    ++s_.dynamic;
  }
  locate();
  return Rejection::none;
}

std::uint32_t HdBitmap::Packet::position(Psn psn) const {
  if (psn.after(s_.tail)) {
    return circular_bits() + static_cast<std::uint32_t>(psn - s_.tail) - 1;
  }
  const std::uint32_t at = head_position() + static_cast<std::uint32_t>(psn - s_.head);
  return at < circular_bits() ? at : at - circular_bits();
}

// False when the bit is set already.
bool HdBitmap::Packet::set(Psn psn) {
  const std::uint32_t at = position(psn);
  const std::uint32_t address = block_address(at / bits()) + at % bits() / 16;
  const auto bit = low(1u << (at % 16));
  const std::uint16_t word = memory_.read(address, ops_);
  fetch(at / bits());
  in_hand_ = true;
  if ((word & bit) != 0) return false;
  memory_.write(address, low(word | bit), ops_);
  return true;
}

// Clears the run of ones from position `from` on that ends below `to`; returns its length.
std::uint32_t HdBitmap::Packet::take_run(std::uint32_t from, std::uint32_t to) {
  std::uint32_t at = from;
  while (at < to) {
    const std::uint32_t block = block_address(at / bits());
    const std::uint32_t end = std::min(to, (at / bits() + 1) * bits());
    while (at < end) {
      const std::uint32_t address = block + at % bits() / 16;
      const std::uint32_t offset = at % 16;
      const std::uint32_t here = std::min(16 - offset, end - at);
      const std::uint16_t word = memory_.read(address, ops_);
      if (!in_hand_) fetch(at / bits());
      in_hand_ = false;
      ++ops_.steps;
      const auto n =
          std::min(here, static_cast<std::uint32_t>(std::countr_one(low(word >> offset))));
      if (n > 0) memory_.write(address, low(word & ~(((1u << n) - 1) << offset)), ops_);
      at += n;
      if (n < here) return at - from;
    }
  }
  return at - from;
}

// Moves the head past the run of packets that it starts; returns their number.
std::uint32_t HdBitmap::Packet::advance() {
  const std::uint32_t size = circular_bits();
  const std::uint32_t from = head_position();
  // With a linear portion the tail stands still, and the head comes nearer to it.
  const auto ahead = static_cast<std::uint32_t>(s_.tail - s_.head) + 1;
  const std::uint32_t straight = std::min(ahead, size - from);
  std::uint32_t n = take_run(from, from + straight);
  if (n == straight) n += take_run(0, ahead - straight);
  const std::uint32_t in_circular = n;
  if (n == ahead) n += take_run(size, s_.dynamic * bits());
  s_.head = s_.head + static_cast<std::int32_t>(n);
  const std::uint32_t to = from + in_circular;
  set_head_position(to < size ? to : to - size);
  if (s_.dynamic == s_.circular) s_.tail = s_.head + static_cast<std::int32_t>(size - 1);
  return n;
}

// Makes the linear portion part of the circular one, once that has no bit set.
void HdBitmap::Packet::absorb() {
  if (s_.dynamic == s_.circular || !clear(s_.circular)) return;
  // The first bit of the linear portion keeps its place: it is that of tail + 1. The head may be
  // behind it or, once everything has arrived, past the last one and so at position 0.
  const std::int32_t to_linear = (s_.tail + 1) - s_.head;
  const auto at =
      static_cast<std::uint32_t>(static_cast<std::int32_t>(circular_bits()) - to_linear);
  s_.circular = s_.dynamic;
  set_head_position(at < circular_bits() ? at : at - circular_bits());
  s_.tail = s_.head + static_cast<std::int32_t>(circular_bits() - 1);
}

// Whether no bit of the first so many blocks is set.
bool HdBitmap::Packet::clear(std::uint32_t blocks) {
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const std::uint32_t block = block_address(b);
    for (std::uint32_t w = 0; w < layout_.block_words; ++w) {
      const bool set = memory_.read(block + w, ops_) != 0;
      if (b >= scanned_ && !scan_over_) {
        fetch(b);
        scan_over_ = set;
      }
      if (set) return false;
    }
  }
  scanned_ = std::max(scanned_, blocks);
  return true;
}

void HdBitmap::Packet::store() {
  const Words words = pack(s_);
  for (std::uint32_t i = 0; i < state_words; ++i) {
    if (memory_.master_array()[start_ + i] != words[i]) memory_.write(start_ + i, words[i], ops_);
  }
}

Rejection HdBitmap::create(ConnectionId connection, Psn expected, OrderingOps& ops) {
  ops.steps += 2 + 1;  // the module begins and ends; the request
  const std::optional<std::uint16_t> start = memory_.allocate_metadata(connection, ops);
  if (!start) return Rejection::no_metadata;
  ++ops.steps;  // marked as taken
  const std::optional<std::uint16_t> block = memory_.allocate_block(ops);
  if (!block) {
    ++ops.steps;  // given back
    memory_.release_metadata(connection, ops);
    return Rejection::no_block;
  }
  const EunomiaLayout& layout = memory_.layout();
  ops.steps += layout.block_words + layout.metadata_words;
  const Words words = pack({.head = expected,
                            .tail = expected + static_cast<std::int32_t>(layout.block_bits - 1),
                            .last_seq = HdState::unknown,
                            .head_block = 0,
                            .head_index = 0,
                            .circular = 1,
                            .dynamic = 1,
                            .base = *block});
  for (std::uint32_t i = 0; i < state_words; ++i) memory_.write(*start + i, words[i], ops);
  memory_.write(*start + state_words, *block, ops);
  for (std::uint32_t i = state_words + 1; i < layout.metadata_words; ++i) {
    memory_.write(*start + i, 0, ops);
  }
  return Rejection::none;
}

OrderingAnswer HdBitmap::on_packet(ConnectionId connection, std::uint32_t start, Psn psn,
                                   bool last) {
  OrderingAnswer answer;
  Packet packet(memory_, start, answer.ops);
  HdState& s = packet.state();
  answer.expected = s.head;
  packet.locate();
  if (psn - s.head < 0) {
    answer.tracking = Tracking::duplicate;
    return answer;
  }
  answer.rejection = packet.reach(psn);
  if (answer.rejection != Rejection::none) {
    answer.tracking = Tracking::rejected;
    packet.store();
    return answer;
  }
  if (!packet.set(psn)) {
    answer.tracking = Tracking::duplicate;
    return answer;
  }
  const bool takes_last = last && (s.last_seq == HdState::unknown || psn.after(Psn(s.last_seq)));
  if (takes_last) s.last_seq = psn.value();
  const bool in_order = psn == s.head;
  if (!in_order) packet.mark();
  // Packets in the circular portion keep it from being clear.
  if (!in_order && !psn.after(s.tail)) packet.no_scan();
  answer.tracking = in_order ? Tracking::in_order : Tracking::out_of_order;
  if (in_order) {
    answer.advanced = packet.advance();
    packet.mark();  // the run is complete
  }
  const std::uint32_t circular = s.circular;
  packet.absorb();
  answer.expected = s.head;
  bool finished = false;
  if (in_order && s.last_seq != HdState::unknown && s.head.after(Psn(s.last_seq))) {
    answer.completed = true;
    // Packets tracked beyond the last one belong to a next use of the connection.
    finished = s.head == Psn(s.last_seq) + 1 && packet.clear(s.dynamic);
    if (!finished) s.last_seq = HdState::unknown;
  }
  packet.store();
  if (finished)
    release(connection, start, answer.ops, packet.located());
  else if (in_order || takes_last || s.circular != circular)
    packet.keep();
  return answer;
}

void HdBitmap::release(ConnectionId connection, std::uint32_t start, OrderingOps& ops,
                       std::uint32_t located) {
  const HdState s = state(start);
  ops.steps += 1 + s.dynamic + 1;  // the request, blocks, metadata
  ops.fetches += s.dynamic - 1 - (located == 1);
  memory_.release_block(s.base, ops);
  for (std::uint32_t b = 1; b < s.dynamic; ++b) {
    memory_.release_block(low(s.base + memory_.read(start + state_words + b, ops)), ops);
  }
  memory_.release_metadata(connection, ops);
}

HdState HdBitmap::state(std::uint32_t start) const {
  return unpack(&memory_.master_array()[start]);
}

}  // namespace horae::policy
