#include "horae/views/trace_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "horae/results/version.hpp"
#include "horae/views/trace_slices.hpp"

namespace horae::views {

std::string microseconds_text(Picoseconds t) {
  constexpr std::int64_t per_us = 1'000'000;
  return fmt::format("{}.{:06}", t.count() / per_us, t.count() % per_us);
}

unsigned first_extra_process(const TraceRecord& record) {
  return static_cast<unsigned>(record.devices.size()) + 1;
}

namespace {

using nlohmann::ordered_json;
using SliceKind = TraceSlice::Kind;
using StepKind = TraceRecord::StepKind;

std::string json_text(std::string_view text) { return ordered_json(text).dump(); }

class TraceWriter {
 public:
  TraceWriter(const TraceRecord& record, std::ostream& out)
      : r_(record), t_(slices_of(record)), out_(out) {
    for (const auto& name : r_.nodes) nodes_.push_back(json_text(name));
    // Behind the processes' numbers: a thread of its process's number would be taken as its main.
    unsigned next = static_cast<unsigned>(r_.devices.size()) + 1;
    for (const auto& track : t_.tracks) {
      first_thread_.push_back(next);
      next += track.lanes;
    }
  }

  void write(const std::vector<ordered_json>& extra) {
    put("{\"displayTimeUnit\":\"ns\",\n\"otherData\":");
    put(other_data().dump());
    put(",\n\"traceEvents\":[\n");
    name_threads();
    const std::uint32_t packets_from = t_.first_slice.empty() ? 0 : t_.first_slice.front();
    for (std::uint32_t i = 0; i < packets_from; ++i) write_slice(t_.slices[i]);
    for (std::uint32_t p = 0; p < r_.packets.size(); ++p) write_packet(p);
    std::uint64_t id = 0;
    for (const auto& arrow : t_.arrows) write_arrow(arrow, ++id);
    for (const auto& event : extra) line(event.dump());
    put("\n]}\n");
    flush();
  }

 private:
  void put(std::string_view text) {
    buffer_ += text;
    constexpr std::size_t block = 1 << 16;
    if (buffer_.size() > block) flush();
  }
  void flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }
  void line(std::string_view event) {
    put(first_ ? "" : ",\n");
    first_ = false;
    put(event);
  }

  ordered_json other_data() const {
    ordered_json data = {{"made by", "horae " + results::version()}};
    if (r_.full_at != never) {
      data["incomplete"] =
          fmt::format("the limit of events was reached: nothing that begins from {} us on is shown",
                      microseconds_text(r_.full_at));
    }
    return data;
  }

  unsigned process_of(const TraceTrack& track) const { return track.device + 1; }
  unsigned thread_of(const TraceSlice& s) const { return first_thread_[s.track] + s.lane; }

  void name_threads() {
    for (std::size_t d = 0; d < r_.devices.size(); ++d) {
      line(fmt::format(R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":{}}}}})", d + 1,
                       json_text(r_.devices[d].name)));
      line(fmt::format(
          R"({{"name":"process_sort_index","ph":"M","pid":{},"args":{{"sort_index":{}}}}})", d + 1,
          d));
    }
    for (std::size_t i = 0; i < t_.tracks.size(); ++i) {
      const auto& track = t_.tracks[i];
      for (unsigned lane = 0; lane < track.lanes; ++lane) {
        const unsigned thread = first_thread_[i] + lane;
        std::string name = name_of(track);
        if (lane > 0) name += fmt::format(" #{}", lane + 1);
        line(fmt::format(
            R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})",
            process_of(track), thread, json_text(name)));
        line(fmt::format(
            R"({{"name":"thread_sort_index","ph":"M","pid":{0},"tid":{1},"args":{{"sort_index":{1}}}}})",
            process_of(track), thread));
      }
    }
  }

  std::string packet_name(const TraceRecord::PacketInfo& p) const {
    std::string name;
    if (p.opcode == Opcode::cnp) {
      name = "CNP";
    } else if (p.opcode == Opcode::acknowledge) {
      name = fmt::format("{} {}",
                         syndrome::is_nak(p.syndrome)    ? "NACK"
                         : syndrome::is_sack(p.syndrome) ? "SACK"
                                                         : "ACK",
                         p.psn);
    } else {
      name = fmt::format("PSN {}{}", p.psn, p.retransmission ? " again" : "");
    }
    return p.copy ? "copy of " + name : name;
  }

  /// As a JSON string.
  std::string node_name(NodeId node) const {
    return node < nodes_.size() ? nodes_[node] : fmt::format(R"("node {}")", node);
  }

  /// Arguments of a packet's slice, without the braces.
  std::string packet_args(std::uint32_t packet, std::uint32_t step) const {
    const auto& p = r_.packets[packet];
    std::string args =
        fmt::format(R"("packet":"{:#x}","from":{},"to":{},"qp":"{:#x}","psn":{},"bytes":{})", p.id,
                    node_name(p.src), node_name(p.dst), p.dest_qp, p.psn, p.frame);
    if (p.flow != TraceRecord::none && !p.reply && p.message != ~std::uint64_t{0})
      args += fmt::format(R"(,"flow":{},"message":{})", p.flow, p.message);
    if (syndrome::is_nak(p.syndrome) && p.opcode == Opcode::acknowledge) {
      args += fmt::format(R"(,"expected_psn":{})", p.psn);
      if (p.nack_cause != TraceRecord::none)
        args += fmt::format(R"(,"arrived_psn":{})", r_.packets[p.nack_cause].psn);
    }
    if (step == TraceRecord::none) return args;
    const auto& s = r_.steps[step];
    if (s.kind == StepKind::queued) args += fmt::format(R"(,"queue":{})", s.extra);
    if (s.kind == StepKind::ingress)
      args += fmt::format(R"(,"entered_us":{})", microseconds_text(s.a));
    if (s.kind == StepKind::sent) args += fmt::format(R"(,"chosen_us":{})", microseconds_text(s.a));
    return args;
  }

  // Names of slices are made here and need no escapes.
  void complete(const TraceSlice& s, std::string_view name, std::string_view category,
                std::string_view args) {
    line(fmt::format(
        R"({{"name":"{}","cat":"{}","ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
        name, category, process_of(t_.tracks[s.track]), thread_of(s), microseconds_text(s.start),
        microseconds_text(s.end - s.start), args));
  }
  void instant(const TraceSlice& s, std::string_view name, std::string_view category,
               std::string_view args) {
    line(fmt::format(
        R"({{"name":"{}","cat":"{}","ph":"i","s":"t","pid":{},"tid":{},"ts":{},"args":{{{}}}}})",
        name, category, process_of(t_.tracks[s.track]), thread_of(s), microseconds_text(s.start),
        args));
  }
  void flow(char phase, std::string_view category, std::uint64_t id, const TraceSlice& s,
            Picoseconds at) {
    line(fmt::format(
        R"({{"name":"{0}","cat":"{0}","ph":"{1}","id":{2},"pid":{3},"tid":{4},"ts":{5}{6}}})",
        category, phase, id, process_of(t_.tracks[s.track]), thread_of(s), microseconds_text(at),
        phase == 'f' ? R"(,"bp":"e")" : ""));
  }

  void write_slice(const TraceSlice& s) {
    switch (s.kind) {
      case SliceKind::message: {
        const auto& m = r_.messages[s.subject];
        const auto& f = r_.flows[m.flow];
        complete(
            s, fmt::format("message {}", m.ordinal), "message",
            fmt::format(R"("flow":{},"to":{},"bytes":{},"completed":{})", m.flow,
                        json_text(r_.devices[f.receiver].name), m.bytes, m.completed != never));
        break;
      }
      case SliceKind::service: {
        const auto& v = r_.services[s.subject];
        complete(s, fmt::format("NACK {}", v.psn), "nack",
                 fmt::format(R"("qp":"{:#x}","expected_psn":{},"resends":{})", 0x40 + v.qp, v.psn,
                             v.resend));
        break;
      }
      case SliceKind::moment: {
        const auto& m = r_.moments[s.subject];
        instant(s, m.what, "nack", fmt::format(R"("qp":"{:#x}","psn":{})", 0x40 + m.qp, m.psn));
        break;
      }
      case SliceKind::pause: {
        const auto& p = r_.pauses[s.subject];
        complete(s, fmt::format("class {} paused", p.traffic_class), "pause",
                 fmt::format(R"("class":{})", p.traffic_class));
        break;
      }
      case SliceKind::packet:
        complete(s, packet_name(r_.packets[s.subject]), "packet", packet_args(s.subject, s.step));
        break;
      case SliceKind::drop: {
        const auto cause = static_cast<fabric::DropCause>(r_.steps[s.step].extra);
        instant(s, fmt::format("dropped: {}", fabric::name_of(cause)), "drop",
                fmt::format(R"("cause":"{}",{})", fabric::name_of(cause),
                            packet_args(s.subject, TraceRecord::none)));
        break;
      }
    }
  }

  /// A packet's slices and the flow that joins them: from its message, if that is known.
  void write_packet(std::uint32_t packet) {
    const std::uint32_t begin = t_.first_slice[packet], end = t_.first_slice[packet + 1];
    const std::uint32_t message = t_.message_slice[packet];
    const std::uint32_t anchors = end - begin + (message != TraceRecord::none ? 1 : 0);
    std::uint32_t n = 0;
    const auto anchor = [&](const TraceSlice& s, Picoseconds at) {
      if (anchors < 2) return;
      flow(n == 0 ? 's' : n + 1 == anchors ? 'f' : 't', "packet", packet + 1u, s, at);
      ++n;
    };
    if (message != TraceRecord::none) anchor(t_.slices[message], t_.left_message[packet]);
    for (std::uint32_t i = begin; i < end; ++i) {
      write_slice(t_.slices[i]);
      anchor(t_.slices[i], t_.slices[i].start);
    }
  }

  void write_arrow(const TraceArrow& arrow, std::uint64_t id) {
    const TraceSlice& from = t_.slices[arrow.from];
    const TraceSlice& to = t_.slices[arrow.to];
    // Perfetto counts in nanoseconds: one before the end is still in the slice.
    const Picoseconds at =
        arrow.to_end ? std::max({to.start, from.start, to.end - 1_ns}) : to.start;
    flow('s', arrow.category, id, from, from.start);
    flow('f', arrow.category, id, to, at);
  }

  const TraceRecord& r_;
  const TraceSlices t_;
  std::ostream& out_;
  std::vector<std::string> nodes_;      ///< names by NodeId, as JSON
  std::vector<unsigned> first_thread_;  ///< by track
  std::string buffer_;
  bool first_ = true;
};

}  // namespace

void write_trace(const TraceRecord& record, const std::vector<ordered_json>& extra,
                 std::ostream& out) {
  TraceWriter(record, out).write(extra);
}

}  // namespace horae::views
