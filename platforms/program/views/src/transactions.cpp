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

class TransactionMaker {
 public:
  explicit TransactionMaker(const TraceRecord& record) : r_(record), t_(slices_of(record, true)) {}

  Transactions make() {
    const std::uint32_t packets_from = t_.first_slice.front();
    transaction_of_.assign(t_.slices.size(), 0);
    for (std::uint32_t i = 0; i < packets_from; ++i) add_slice(i);
    for (std::uint32_t p = 0; p < r_.packets.size(); ++p) add_packet(p);
    for (const TraceArrow& arrow : t_.arrows)
      relate(arrow.category, transaction_of_[arrow.from], transaction_of_[arrow.to]);
    return std::move(all_);
  }

 private:
  using Id = Transactions::Id;
  using Word = Transactions::Word;

  Word word_of(std::string_view text) {
    const auto found = words_.find(text);
    if (found != words_.end()) return found->second;
    all_.words.emplace_back(text);
    return words_.emplace(text, static_cast<Word>(all_.words.size() - 1)).first->second;
  }

  /// The generator of a stream, both declared at their first use: its index.
  std::size_t generator(const std::string& stream, const char* stream_kind, const char* name) {
    const auto [s, new_stream] = streams_.try_emplace(stream, all_.streams.size());
    if (new_stream) all_.streams.push_back({next_id_++, word_of(stream), word_of(stream_kind)});
    const auto [g, fresh] = generators_.try_emplace({stream, name}, all_.generators.size());
    if (fresh) all_.generators.push_back({next_id_++, word_of(name), s->second});
    return g->second;
  }

  Id begin(std::size_t generator, Picoseconds from, Picoseconds to) {
    all_.transactions.push_back({generator, from, to, all_.attributes.size()});
    return all_.transactions.size();
  }
  /// Attributes are those of the transaction that began last.
  void text(const char* name, std::string_view value) {
    const Word word = word_of(value);
    all_.attributes.push_back({word_of(name), true, word});
  }
  void number(const char* name, std::uint64_t value) {
    all_.attributes.push_back({word_of(name), false, value});
  }
  void relate(std::string_view name, Id from, Id to) {
    if (from != 0 && to != 0) all_.relations.push_back({word_of(name), from, to});
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

  const TraceRecord& r_;
  const TraceSlices t_;
  Transactions all_;
  Id next_id_ = 1;  ///< of streams and generators
  std::map<std::string, Word, std::less<>> words_ = {{"", 0}};
  std::map<std::string, std::size_t> streams_;
  std::map<std::pair<std::string, std::string>, std::size_t> generators_;
  std::vector<Id> transaction_of_;  ///< by slice; 0: none
};

/// Text in blocks, as streams are slow with small pieces.
class BlockedText {
 public:
  explicit BlockedText(std::ostream& out) : out_(out) {}
  ~BlockedText() { flush(); }

  template <typename... T>
  void put(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<T>(values)...);
    constexpr std::size_t block = 1 << 16;
    if (buffer_.size() > block) flush();
  }

 private:
  void flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }
  std::ostream& out_;
  std::string buffer_;
};

/// A begin or an end; of equal time and transaction the begin is first.
struct Event {
  Picoseconds at;
  Transactions::Id id;
  bool end;
};

std::vector<Event> in_order(const Transactions& all) {
  std::vector<Event> events;
  events.reserve(2 * all.transactions.size());
  for (Transactions::Id id = 1; id <= all.transactions.size(); ++id) {
    events.push_back({all.transactions[id - 1].begin, id, false});
    events.push_back({all.transactions[id - 1].end, id, true});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tuple(a.at, a.id, a.end) < std::tuple(b.at, b.id, b.end);
  });
  return events;
}

}  // namespace

Transactions transactions_of(const TraceRecord& record) { return TransactionMaker(record).make(); }

void write_scv_text(const Transactions& all, std::ostream& stream) {
  BlockedText out(stream);
  for (const auto& s : all.streams)
    out.put("scv_tr_stream (ID {}, name \"{}\", kind \"{}\")\n", s.id, all.words[s.name],
            all.words[s.kind]);
  for (const auto& g : all.generators)
    out.put("scv_tr_generator (ID {}, name \"{}\", scv_tr_stream {},\n)\n", g.id, all.words[g.name],
            all.streams[g.stream].id);
  for (const Event& e : in_order(all)) {
    const auto& t = all.transactions[e.id - 1];
    out.put("tx_{} {} {} {} ps\n", e.end ? "end" : "begin", e.id, all.generators[t.generator].id,
            e.at.count());
    if (e.end) continue;
    for (std::size_t i = t.attributes; i < all.attributes_end(e.id - 1); ++i) {
      const auto& a = all.attributes[i];
      out.put("tx_record_attribute {} \"{}\" ", e.id, all.words[a.name]);
      if (a.is_text) {
        out.put("STRING = \"{}\"\n", all.words[a.value]);
      } else {
        out.put("UNSIGNED = {}\n", a.value);
      }
    }
  }
  // As SCV has it: the second transaction is what the first one belongs to, or comes from.
  for (const auto& r : all.relations)
    out.put("tx_relation \"{}\" {} {}\n", all.words[r.name], r.to, r.from);
}

}  // namespace horae::views
