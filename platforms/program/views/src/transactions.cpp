#include "horae/views/transactions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "horae/fabric/packet_pool.hpp"
#include "horae/views/trace_slices.hpp"

namespace horae::views {
namespace {

constexpr std::uint32_t first_qpn = 0x40;

/// Names have no blanks: some readers end them there.
std::string word(std::string text) {
  std::erase(text, ',');
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

class TransactionWriter {
 public:
  TransactionWriter(const TraceRecord& record, std::ostream& out)
      : r_(record), t_(slices_of(record, true)), out_(out) {}

  void write() {
    const std::uint32_t packets_from = t_.first_slice.front();
    transaction_of_.assign(t_.slices.size(), 0);
    for (std::uint32_t i = 0; i < packets_from; ++i) add_slice(i);
    for (std::uint32_t p = 0; p < r_.packets.size(); ++p) add_packet(p);
    for (const TraceArrow& arrow : t_.arrows)
      relate(arrow.category, transaction_of_[arrow.from], transaction_of_[arrow.to]);
    put(streams_);
    put(generators_);
    write_in_order();
    put(relations_);
    flush();
  }

 private:
  using Id = std::uint64_t;
  /// A begin or an end; of equal time and transaction the begin is first.
  struct Event {
    Picoseconds at;
    Id id;
    bool end;
  };
  struct Transaction {
    Id id, generator;
    std::string attributes;
  };

  /// The generator of a stream, both declared at their first use.
  Id generator(const std::string& stream, const char* stream_kind, const char* name) {
    const auto [s, new_stream] = stream_ids_.try_emplace(stream, next_id_);
    if (new_stream) {
      streams_ += fmt::format("scv_tr_stream (ID {}, name \"{}\", kind \"{}\")\n", next_id_++,
                              stream, stream_kind);
    }
    const auto [g, fresh] = generator_ids_.try_emplace({stream, name}, next_id_);
    if (fresh) {
      generators_ += fmt::format("scv_tr_generator (ID {}, name \"{}\", scv_tr_stream {},\n)\n",
                                 next_id_++, name, s->second);
    }
    return g->second;
  }

  Id begin(Id generator, Picoseconds from, Picoseconds to) {
    const Id id = transactions_.size() + 1;
    transactions_.push_back({id, generator, {}});
    events_.push_back({from, id, false});
    events_.push_back({to, id, true});
    return id;
  }
  void text(const char* name, std::string_view value) {
    transactions_.back().attributes += fmt::format(
        "tx_record_attribute {} \"{}\" STRING = \"{}\"\n", transactions_.back().id, name, value);
  }
  void number(const char* name, std::uint64_t value) {
    transactions_.back().attributes += fmt::format("tx_record_attribute {} \"{}\" UNSIGNED = {}\n",
                                                   transactions_.back().id, name, value);
  }
  /// As SCV has it: the second transaction is what the first one belongs to, or comes from.
  void relate(std::string_view name, Id from, Id to) {
    if (from == 0 || to == 0) return;
    relations_ += fmt::format("tx_relation \"{}\" {} {}\n", name, to, from);
  }

  std::string node_name(NodeId node) const {
    return node < r_.nodes.size() ? r_.nodes[node] : fmt::format("node_{}", node);
  }

  static const char* class_of(const TraceRecord::PacketInfo& p) {
    if (p.copy) return "copy";
    if (p.opcode == Opcode::cnp) return "cnp";
    if (p.opcode == Opcode::pull) return "pull";
    if (p.opcode != Opcode::acknowledge) return p.retransmission ? "retransmission" : "data";
    if (syndrome::is_nak(p.syndrome)) return "nack";
    return syndrome::is_sack(p.syndrome) ? "sack" : "ack";
  }

  Id track_generator(const TraceSlice& s, const char* name) {
    const TraceTrack& track = t_.tracks[s.track];
    return generator(r_.devices[track.device].name + "." + word(name_of(track)), "block", name);
  }

  void add_packet(std::uint32_t packet) {
    const std::uint32_t first = t_.first_slice[packet], end = t_.first_slice[packet + 1];
    if (first == end) return;
    const auto& p = r_.packets[packet];
    Picoseconds from = t_.slices[first].start, to = t_.slices[first].end;
    const char* fate = "in_flight";
    std::string_view cause;
    for (std::uint32_t i = first; i < end; ++i) {
      const TraceSlice& s = t_.slices[i];
      const auto& step = r_.steps[s.step];
      if (step.kind == TraceRecord::StepKind::sent) from = std::min(from, step.a);
      to = std::max(to, s.end);
      if (t_.tracks[s.track].block == Block::rx) fate = "delivered";
      if (s.kind == TraceSlice::Kind::drop) {
        fate = "dropped";
        cause = fabric::name_of(static_cast<fabric::DropCause>(step.extra));
      }
    }
    const Id id = begin(generator(node_name(p.src) + ".packets", "packets", class_of(p)), from, to);
    number("packet", p.id);
    text("from", node_name(p.src));
    text("to", node_name(p.dst));
    number("qp", p.dest_qp);
    number("psn", p.psn);
    number("bytes", p.frame);
    text("fate", fate);
    if (!cause.empty()) text("cause", cause);
    relate("part_of", id,
           t_.message_slice[packet] == TraceRecord::none
               ? 0
               : transaction_of_[t_.message_slice[packet]]);
    for (std::uint32_t i = first; i < end; ++i) {
      add_slice(i);
      relate("hop", id, transaction_of_[i]);
    }
  }

  void add_slice(std::uint32_t index) {
    const TraceSlice& s = t_.slices[index];
    const auto open = [&](const char* name) {
      transaction_of_[index] = begin(track_generator(s, name), s.start, s.end);
    };
    switch (s.kind) {
      case TraceSlice::Kind::packet:
      case TraceSlice::Kind::drop: {
        const auto& p = r_.packets[s.subject];
        open(s.kind == TraceSlice::Kind::drop ? "drop" : "hop");
        number("packet", p.id);
        number("psn", p.psn);
        if (s.kind == TraceSlice::Kind::drop)
          text("cause", fabric::name_of(static_cast<fabric::DropCause>(r_.steps[s.step].extra)));
        break;
      }
      case TraceSlice::Kind::message: {
        const auto& m = r_.messages[s.subject];
        open("message");
        number("ordinal", m.ordinal);
        text("to", r_.devices[r_.flows[m.flow].receiver].name);
        number("bytes", static_cast<std::uint64_t>(m.bytes));
        number("completed", m.completed != never ? 1 : 0);
        break;
      }
      case TraceSlice::Kind::service: {
        const auto& v = r_.services[s.subject];
        open("service");
        number("qp", first_qpn + v.qp);
        number("expected_psn", v.psn);
        number("resends", v.resend ? 1 : 0);
        break;
      }
      case TraceSlice::Kind::moment: {
        const auto& m = r_.moments[s.subject];
        open("moment");
        text("what", m.what);
        number("qp", first_qpn + m.qp);
        number("psn", m.psn);
        break;
      }
      case TraceSlice::Kind::pause:
        open("pause");
        number("class", r_.pauses[s.subject].traffic_class);
        break;
      case TraceSlice::Kind::span:
        add_span(index, r_.spans[s.subject]);
        break;
    }
  }

  void add_span(std::uint32_t index, const TraceRecord::Span& v) {
    using Kind = TraceRecord::SpanKind;
    struct Named {
      const char* generator;
      const char* number;
    };
    const auto named = [&]() -> Named {
      switch (v.kind) {
        case Kind::posting:
          return {"post", "rings"};
        case Kind::polling:
          return {"poll", "messages"};
        case Kind::engine:
        case Kind::rx_engine:
          return {"packet", "psn"};
        case Kind::wqe_read:
          return {"wqe_read", "messages"};
        case Kind::payload_read:
          return {"payload_read", "psn"};
        case Kind::payload_write:
          return {"payload_write", "psn"};
        case Kind::cqe_write:
          break;
      }
      return {"cqe_write", "messages"};
    }();
    const TraceSlice& s = t_.slices[index];
    transaction_of_[index] = begin(track_generator(s, named.generator), s.start, s.end);
    number("qp", first_qpn + v.qp);
    number(named.number, v.number);
  }

  void write_in_order() {
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      return std::tuple(a.at, a.id, a.end) < std::tuple(b.at, b.id, b.end);
    });
    for (const Event& e : events_) {
      const Transaction& t = transactions_[e.id - 1];
      put(fmt::format("tx_{} {} {} {} ps\n", e.end ? "end" : "begin", t.id, t.generator,
                      e.at.count()));
      if (!e.end) put(t.attributes);
    }
  }
  void put(std::string_view text) {
    buffer_ += text;
    constexpr std::size_t block = 1 << 16;
    if (buffer_.size() > block) flush();
  }
  void flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }

  const TraceRecord& r_;
  const TraceSlices t_;
  std::ostream& out_;
  Id next_id_ = 1;  ///< of streams and generators
  std::map<std::string, Id> stream_ids_;
  std::map<std::pair<std::string, std::string>, Id> generator_ids_;
  std::string streams_, generators_, relations_, buffer_;
  std::vector<Transaction> transactions_;
  std::vector<Event> events_;
  std::vector<Id> transaction_of_;  ///< by slice; 0: none
};

}  // namespace

void write_transactions(const TraceRecord& record, std::ostream& out) {
  TransactionWriter(record, out).write();
}

}  // namespace horae::views
