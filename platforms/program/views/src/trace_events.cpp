// The text of single events of a trace.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "horae/fabric/packet_pool.hpp"
#include "horae/views/trace_json.hpp"
#include "trace_writer.hpp"

namespace horae::views {

std::string TraceWriter::packet_name(const TraceRecord::PacketInfo& p) const {
  std::string name;
  if (p.opcode == Opcode::cnp) {
    name = "CNP";
  } else if (p.opcode == Opcode::pull) {
    name = "PULL";
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

std::string TraceWriter::node_name(NodeId node) const {
  return node < nodes_.size() ? nodes_[node] : fmt::format(R"("node {}")", node);
}

std::string TraceWriter::packet_args(std::uint32_t packet, std::uint32_t step) const {
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
  if (s.kind == TraceRecord::StepKind::queued) args += fmt::format(R"(,"queue":{})", s.extra);
  if (s.kind == TraceRecord::StepKind::ingress)
    args += fmt::format(R"(,"entered_us":{})", microseconds_text(s.a));
  if (s.kind == TraceRecord::StepKind::sent)
    args += fmt::format(R"(,"chosen_us":{})", microseconds_text(s.a));
  return args;
}

void TraceWriter::complete(const TraceSlice& s, std::string_view name, std::string_view category,
                           std::string_view args) {
  line(fmt::format(
      R"({{"name":"{}","cat":"{}","ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
      name, category, process_of(t_.tracks[s.track]), thread_of(s), microseconds_text(s.start),
      microseconds_text(s.end - s.start), args));
}

void TraceWriter::instant(const TraceSlice& s, std::string_view name, std::string_view category,
                          std::string_view args) {
  line(fmt::format(
      R"({{"name":"{}","cat":"{}","ph":"i","s":"t","pid":{},"tid":{},"ts":{},"args":{{{}}}}})",
      name, category, process_of(t_.tracks[s.track]), thread_of(s), microseconds_text(s.start),
      args));
}

void TraceWriter::flow(char phase, std::string_view category, std::uint64_t id, const TraceSlice& s,
                       Picoseconds at) {
  line(fmt::format(
      R"({{"name":"{0}","cat":"{0}","ph":"{1}","id":{2},"pid":{3},"tid":{4},"ts":{5}{6}}})",
      category, phase, id, process_of(t_.tracks[s.track]), thread_of(s), microseconds_text(at),
      phase == 'f' ? R"(,"bp":"e")" : ""));
}

void TraceWriter::write_span(const TraceSlice& s) {
  const auto& v = r_.spans[s.subject];
  const std::string qp = fmt::format(R"("qp":"{:#x}")", 0x40 + v.qp);
  switch (v.kind) {
    case TraceRecord::SpanKind::posting:
      return complete(s, v.number != 0 ? "posts, rings" : "posts", "host", qp);
    case TraceRecord::SpanKind::polling:
      return complete(s, fmt::format("CQE of {}", v.number), "host",
                      fmt::format(R"({},"messages":{})", qp, v.number));
    case TraceRecord::SpanKind::engine:
    case TraceRecord::SpanKind::rx_engine:
      return complete(s, fmt::format("PSN {}", v.number), "engine", qp);
    case TraceRecord::SpanKind::wqe_read:
    case TraceRecord::SpanKind::payload_read:
    case TraceRecord::SpanKind::payload_write:
    case TraceRecord::SpanKind::cqe_write:
      return;  // of transactions
  }
}

void TraceWriter::write_slice(const TraceSlice& s) {
  switch (s.kind) {
    case TraceSlice::Kind::message: {
      const auto& m = r_.messages[s.subject];
      const auto& f = r_.flows[m.flow];
      complete(s, fmt::format("message {}", m.ordinal), "message",
               fmt::format(R"("flow":{},"to":{},"bytes":{},"completed":{})", m.flow,
                           json_text(r_.devices[f.receiver].name), m.bytes, m.completed != never));
      break;
    }
    case TraceSlice::Kind::service: {
      const auto& v = r_.services[s.subject];
      complete(s, fmt::format("NACK {}", v.psn), "nack",
               fmt::format(R"("qp":"{:#x}","expected_psn":{},"resends":{})", 0x40 + v.qp, v.psn,
                           v.resend));
      break;
    }
    case TraceSlice::Kind::moment: {
      const auto& m = r_.moments[s.subject];
      instant(s, m.what, "nack", fmt::format(R"("qp":"{:#x}","psn":{})", 0x40 + m.qp, m.psn));
      break;
    }
    case TraceSlice::Kind::pause: {
      const auto& p = r_.pauses[s.subject];
      complete(s, fmt::format("class {} paused", p.traffic_class), "pause",
               fmt::format(R"("class":{})", p.traffic_class));
      break;
    }
    case TraceSlice::Kind::span:
      write_span(s);
      break;
    case TraceSlice::Kind::packet:
      complete(s, packet_name(r_.packets[s.subject]), "packet", packet_args(s.subject, s.step));
      break;
    case TraceSlice::Kind::drop: {
      const auto cause = static_cast<fabric::DropCause>(r_.steps[s.step].extra);
      instant(s, fmt::format("dropped: {}", fabric::name_of(cause)), "drop",
              fmt::format(R"("cause":"{}",{})", fabric::name_of(cause),
                          packet_args(s.subject, TraceRecord::none)));
      break;
    }
  }
}

}  // namespace horae::views
