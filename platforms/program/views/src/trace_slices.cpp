#include "horae/views/trace_slices.hpp"

#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace_lanes.hpp"

namespace horae::views {
namespace {

using Step = TraceRecord::Step;
using StepKind = TraceRecord::StepKind;
using SliceKind = TraceSlice::Kind;

/// A NIC with more queue pairs shows all messages on one track.
constexpr std::size_t most_message_tracks = 64;

Block block_of(TraceRecord::SpanKind kind) {
  switch (kind) {
    case TraceRecord::SpanKind::posting:
      return Block::posting;
    case TraceRecord::SpanKind::engine:
      return Block::engine;
    case TraceRecord::SpanKind::rx_engine:
      return Block::rx_engine;
    case TraceRecord::SpanKind::wqe_read:
    case TraceRecord::SpanKind::payload_read:
      return Block::host_reads;
    case TraceRecord::SpanKind::payload_write:
    case TraceRecord::SpanKind::cqe_write:
      return Block::host_writes;
    case TraceRecord::SpanKind::polling:
      break;
  }
  return Block::polling;
}

/// From records to slices, packet by packet.
class SliceBuilder {
 public:
  SliceBuilder(const TraceRecord& record, bool host_accesses)
      : r_(record), host_accesses_(host_accesses) {}

  TraceSlices build() {
    add_messages();
    add_others();
    order_steps();
    out_.first_slice.reserve(r_.packets.size() + 1);
    out_.message_slice.assign(r_.packets.size(), TraceRecord::none);
    out_.left_message.assign(r_.packets.size(), Picoseconds{});
    tx_.assign(r_.packets.size(), TraceRecord::none);
    rx_.assign(r_.packets.size(), TraceRecord::none);
    for (std::uint32_t p = 0; p < r_.packets.size(); ++p) add_packet(p);
    out_.first_slice.push_back(static_cast<std::uint32_t>(out_.slices.size()));
    add_arrows();
    order_tracks(out_);
    give_lanes(out_);
    return std::move(out_);
  }

 private:
  std::uint32_t track(std::uint32_t device, Block block, std::uint32_t index = 0) {
    const auto [it, fresh] = tracks_.try_emplace(std::tuple(device, block, index),
                                                 static_cast<std::uint32_t>(out_.tracks.size()));
    if (fresh) out_.tracks.push_back({device, block, index, 0});
    return it->second;
  }

  std::uint32_t add(SliceKind kind, std::uint32_t on, std::uint32_t subject, Picoseconds start,
                    Picoseconds end, std::uint32_t step = TraceRecord::none) {
    out_.slices.push_back({start, end, on, subject, step, 0, kind});
    return static_cast<std::uint32_t>(out_.slices.size() - 1);
  }

  void add_messages() {
    for (std::uint32_t i = 0; i < r_.messages.size(); ++i) {
      const auto& m = r_.messages[i];
      const auto& f = r_.flows[m.flow];
      if (m.posted >= r_.full_at) {
        messages_[m.flow][m.ordinal] = TraceRecord::none;
        continue;
      }
      const bool apart = r_.devices[f.sender].queue_pairs <= most_message_tracks;
      messages_[m.flow][m.ordinal] =
          add(SliceKind::message,
              track(f.sender, Block::messages, apart ? f.sender_qp : TraceRecord::none), i,
              m.posted, m.completed == never ? r_.end : m.completed);
    }
  }

  void add_others() {
    for (std::uint32_t i = 0; i < r_.services.size(); ++i) {
      const auto& s = r_.services[i];
      services_.push_back(
          s.start >= r_.full_at
              ? TraceRecord::none
              : add(SliceKind::service, track(s.device, Block::service), i, s.start, s.end));
    }
    for (std::uint32_t i = 0; i < r_.moments.size(); ++i) {
      const auto& m = r_.moments[i];
      if (m.at >= r_.full_at) continue;
      add(SliceKind::moment, track(m.device, Block::service), i, m.at, m.at);
    }
    for (std::uint32_t i = 0; i < r_.spans.size(); ++i) {
      const auto& s = r_.spans[i];
      if (s.from >= r_.full_at) continue;
      if (s.kind > TraceRecord::SpanKind::polling && !host_accesses_) continue;
      add(SliceKind::span, track(s.device, block_of(s.kind)), i, s.from, s.to);
    }
    for (std::uint32_t i = 0; i < r_.pauses.size(); ++i) {
      const auto& p = r_.pauses[i];
      if (p.from >= r_.full_at) continue;
      add(SliceKind::pause, track(p.device, Block::paused, p.port), i, p.from, p.to);
    }
  }

  /// Steps by packet, those of one in the order in which they were told.
  void order_steps() {
    begin_.assign(r_.packets.size() + 1, 0);
    for (const auto& s : r_.steps) ++begin_[s.packet + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    steps_.resize(r_.steps.size());
    auto next = begin_;
    for (std::uint32_t i = 0; i < r_.steps.size(); ++i) steps_[next[r_.steps[i].packet]++] = i;
  }

  void add_packet(std::uint32_t packet) {
    out_.first_slice.push_back(static_cast<std::uint32_t>(out_.slices.size()));
    const Step* arrival = nullptr;  // at a chip, before it enters a pipeline
    for (std::uint32_t n = begin_[packet]; n < begin_[packet + 1]; ++n) {
      const Step& s = r_.steps[steps_[n]];
      if ((s.kind == StepKind::sent ? s.b : s.a) >= r_.full_at) continue;
      const auto put = [&](Block block, std::uint32_t index, Picoseconds start, Picoseconds end) {
        return add(SliceKind::packet, track(s.device, block, index), packet, start, end, steps_[n]);
      };
      const auto kind = r_.devices[s.device].kind;
      const bool end_point =
          kind == TraceRecord::DeviceKind::nic || kind == TraceRecord::DeviceKind::host;
      switch (s.kind) {
        case StepKind::sent:
          if (end_point) {
            join_message(packet, s.a);
            tx_[packet] = put(Block::tx, 0, s.b, s.c);
          } else {
            put(Block::wire, s.port, s.b, s.c);
          }
          break;
        case StepKind::arrived:
          if (end_point) {
            rx_[packet] = put(Block::rx, 0, s.a, s.b);
          } else if (kind == TraceRecord::DeviceKind::plain) {
            put(Block::receive, s.port, s.a, s.b);
          } else {
            arrival = &s;
          }
          break;
        case StepKind::queued:
          put(Block::queue, s.port, s.a, s.b);
          break;
        case StepKind::ingress:
          put(Block::ingress, s.port, arrival != nullptr ? arrival->a : s.a, s.b);
          arrival = nullptr;
          break;
        case StepKind::egress:
          put(Block::egress, s.port, s.a, s.b);
          break;
        case StepKind::looped:
          put(Block::loopback, s.port, s.a, s.c);
          break;
        case StepKind::dropped:
          add(SliceKind::drop, track(s.device, Block::drops), packet, s.a, s.a, steps_[n]);
          break;
      }
    }
  }

  void join_message(std::uint32_t packet, Picoseconds at) {
    const auto& p = r_.packets[packet];
    if (p.flow == TraceRecord::none || p.reply) return;
    const auto flow = messages_.find(p.flow);
    if (flow == messages_.end()) return;
    const auto message = flow->second.find(p.message);
    if (message == flow->second.end() || message->second == TraceRecord::none) return;
    const TraceSlice& slice = out_.slices[message->second];
    if (at < slice.start || at >= slice.end) return;  // sent again after all
    out_.message_slice[packet] = message->second;
    out_.left_message[packet] = at;
  }

  void add_arrows() {
    const auto arrow = [&](std::uint32_t from, std::uint32_t to, const char* category,
                           bool to_end = false) {
      if (from != TraceRecord::none && to != TraceRecord::none)
        out_.arrows.push_back({from, to, category, to_end});
    };
    for (std::uint32_t i = 0; i < r_.packets.size(); ++i) {
      const auto& p = r_.packets[i];
      if (p.nack_cause != TraceRecord::none) arrow(rx_[p.nack_cause], tx_[i], "nack");
      if (p.service != TraceRecord::none) arrow(services_[p.service], tx_[i], "nack");
      if (p.original != TraceRecord::none)
        arrow(slice_before(p.original, p.copied), first_of(i), "mirror");
    }
    for (std::uint32_t i = 0; i < r_.services.size(); ++i) {
      const auto nack = r_.services[i].nack;
      if (nack != TraceRecord::none) arrow(rx_[nack], services_[i], "nack");
    }
    for (const auto& m : r_.messages) {
      if (m.acknowledged_by != TraceRecord::none)
        arrow(rx_[m.acknowledged_by], messages_[m.flow][m.ordinal], "completion", true);
    }
  }

  std::uint32_t first_of(std::uint32_t packet) const {
    const std::uint32_t first = out_.first_slice[packet];
    return first < out_.first_slice[packet + 1] ? first : TraceRecord::none;
  }
  /// The last slice of a packet that begins by `at`.
  std::uint32_t slice_before(std::uint32_t packet, Picoseconds at) const {
    std::uint32_t found = TraceRecord::none;
    for (auto i = out_.first_slice[packet]; i < out_.first_slice[packet + 1]; ++i) {
      if (out_.slices[i].start <= at) found = i;
    }
    return found;
  }

  const TraceRecord& r_;
  bool host_accesses_;
  TraceSlices out_;
  std::map<std::tuple<std::uint32_t, Block, std::uint32_t>, std::uint32_t> tracks_;
  std::vector<std::uint32_t> begin_, steps_;
  std::unordered_map<std::uint32_t, std::unordered_map<std::uint64_t, std::uint32_t>> messages_;
  std::vector<std::uint32_t> services_;
  std::vector<std::uint32_t> tx_, rx_;  ///< slices, by packet
};

}  // namespace

TraceSlices slices_of(const TraceRecord& record, bool host_accesses) {
  return SliceBuilder(record, host_accesses).build();
}

}  // namespace horae::views
