// Observations out of a NIC's counters over time, as a CSV of /sys/class/infiniband.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/question/measured.hpp"
#include "measured_rows.hpp"

namespace horae::question {
namespace {

constexpr std::string_view blank = " \t\r\"";

struct Cell {
  std::string_view text;
  Location where;
};

std::vector<Cell> cells_of(std::string_view line, const std::string& name, std::uint32_t number) {
  std::vector<Cell> out;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    std::string_view cell = line.substr(begin, end - begin);
    const std::size_t first = std::min(cell.find_first_not_of(blank), cell.size());
    cell.remove_prefix(first);
    cell = cell.substr(0, cell.find_last_not_of(blank) + 1);
    out.push_back({cell, {name, number, static_cast<std::uint32_t>(begin + first + 1), {}}});
    begin = end + 1;
  }
  return out;
}

struct Column {
  const CounterMeaning* meaning;
  std::uint64_t last = 0;
  double counted = 0;
};

/// The counters of a window: what each counted, and how long it is.
struct Counted {
  std::vector<Column> columns;
  Location where;  ///< of the names
  double begin = 0, end = 0;
  std::size_t samples = 0;

  double seconds() const { return end - begin; }
  const Column* find(std::string_view name) const {
    for (const auto& c : columns) {
      if (c.meaning->column == name) return &c;
    }
    return nullptr;
  }
};

const CounterMeaning& meaning_of(const Cell& name) {
  std::vector<std::string> names;
  for (const auto& m : counter_meanings()) {
    if (m.column == name.text) return m;
    names.emplace_back(m.column);
  }
  throw input_error(name.where,
                    fmt::format("unknown counter '{}'{}", name.text, suggestion(name.text, names)));
}

/// How far a counter came between two samples. One that is lower than before has wrapped; by more
/// than half of its range it has been set back instead.
double advance(const Column& c, std::uint64_t now, const Location& where) {
  const std::uint64_t mask =
      c.meaning->bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << c.meaning->bits) - 1;
  if (now > mask) {
    throw input_error(where, fmt::format("{} = {} does not fit its {} bits", c.meaning->column, now,
                                         c.meaning->bits));
  }
  const std::uint64_t step = (now - c.last) & mask;
  if (now < c.last && step > mask / 2) {
    throw input_error(where, fmt::format("{} goes back from {} to {}, too far to have wrapped at "
                                         "{} bits: was it set back?",
                                         c.meaning->column, c.last, now, c.meaning->bits));
  }
  return static_cast<double>(step);
}

Counted counted_in(std::string_view text, const std::string& name, const ImportSpec& import) {
  Counted out;
  std::uint32_t number = 0;
  double last_time = -std::numeric_limits<double>::infinity();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.find_first_not_of(blank) == std::string_view::npos || line.front() == '#') continue;
    const auto cells = cells_of(line, name, number);
    if (out.columns.empty()) {
      if (cells[0].text != "time" || cells.size() < 2) {
        throw input_error(cells[0].where, fmt::format("expected the columns time (s) and names of "
                                                      "counters, found '{}'",
                                                      cells[0].text));
      }
      out.where = cells[0].where;
      for (std::size_t i = 1; i < cells.size(); ++i) {
        if (out.find(cells[i].text) != nullptr) {
          throw input_error(cells[i].where,
                            fmt::format("counter '{}' is there already", cells[i].text));
        }
        out.columns.push_back({&meaning_of(cells[i])});
      }
      continue;
    }
    if (cells.size() != out.columns.size() + 1) {
      throw input_error(cells[0].where, fmt::format("{} columns; expected {}", cells.size(),
                                                    out.columns.size() + 1));
    }
    const double time = PrintedNumber::parse(cells[0].text, cells[0].where, "time").value;
    if (time <= last_time) {
      throw input_error(cells[0].where,
                        fmt::format("time {:g} s is not after {:g} s", time, last_time));
    }
    last_time = time;
    if ((import.from && time < *import.from) || (import.to && time > *import.to)) continue;
    for (std::size_t i = 0; i < out.columns.size(); ++i) {
      const Cell& cell = cells[i + 1];
      const std::uint64_t now =
          printed_whole(cell.text, cell.where, out.columns[i].meaning->column);
      if (out.samples > 0) out.columns[i].counted += advance(out.columns[i], now, cell.where);
      out.columns[i].last = now;
    }
    if (out.samples == 0) out.begin = time;
    out.end = time;
    ++out.samples;
  }
  if (out.samples < 2) {
    throw input_error({name, 0, 0, {}},
                      fmt::format("{} samples of counters in the window; expected 2 or more, below "
                                  "a line with time and names of counters",
                                  out.samples));
  }
  return out;
}

}  // namespace

// Meanings: Documentation/ABI/stable/sysfs-class-infiniband of Linux, and "Understanding mlx5
// Linux counters" of the vendor. Those of a queue counter set have 32 bits (mlx5_ifc.h,
// query_q_counter_out).
const std::vector<CounterMeaning>& counter_meanings() {
  static const std::vector<CounterMeaning> all = {
      // In units of 4 bytes; frames without FCS.
      {"port_xmit_data", 64, "senders.tx_rate_l2", "Gbps", 4 * 8 / 1e9},
      {"packet_seq_err", 32, "senders.nack_rate", "Mpps", 1e-6},  // NAKs of sequence received
      {"out_of_sequence", 32, "receivers.out_of_order", "share of packets", 0},
      {"rx_write_requests", 32, "delivered_rate", "Gbps", 0},
      {"port_rcv_packets", 64},
      {"port_xmit_packets", 64},
      {"port_rcv_data", 64},
      {"port_xmit_wait", 64},
      {"port_xmit_discards", 64},
      {"unicast_rcv_packets", 64},
      {"unicast_xmit_packets", 64},
      {"rx_read_requests", 32},
      {"rx_atomic_requests", 32},
      {"rx_icrc_encapsulated", 64},
      {"duplicate_request", 32},
      {"implied_nak_seq_err", 32},
      {"rnr_nak_retry_err", 32},
      {"local_ack_timeout_err", 32},
      {"out_of_buffer", 32},
      {"req_cqe_error", 32},
      {"resp_cqe_error", 32},
      {"np_cnp_sent", 64},
      {"np_ecn_marked_roce_packets", 64},
      {"rp_cnp_handled", 64},
      {"rp_cnp_ignored", 64},
      {"roce_adp_retrans", 64},
      {"roce_adp_retrans_to", 64},
      {"roce_slow_restart", 64},
      {"roce_slow_restart_cnps", 64},
      {"roce_slow_restart_trans", 64},
  };
  return all;
}

ObservationsFile counter_observations(std::string_view text, const std::string& name,
                                      const ImportSpec& import) {
  const Counted counted = counted_in(text, name, import);
  ObservationsFile file;
  ConditionSpec condition;
  const std::string id = import.id.empty() ? "measured" : import.id;
  condition.id = {id, counted.where};
  condition.title = fmt::format("counters over {:g} s", counted.seconds());
  condition.set = import.set;
  condition.reaction = import.reaction;
  file.conditions.push_back(condition);
  for (const auto& c : counted.columns) {
    const CounterMeaning& m = *c.meaning;
    double scale = m.scale / counted.seconds();
    if (m.column == "out_of_sequence") {
      // The counter has all packets that came, acknowledgements too where the NIC sends as well.
      const Column* packets = counted.find("port_rcv_packets");
      if (packets == nullptr || !(packets->counted > 0)) continue;
      scale = 1 / packets->counted;
    }
    if (m.column == "rx_write_requests") {
      if (!import.message) continue;
      const auto bytes = parse_quantity<Bytes>(import.message->value);
      if (!bytes.value) {
        throw input_error(import.message->where,
                          fmt::format("message: expected {}, found '{}'",
                                      quantity_expectation<Bytes>(), import.message->value));
      }
      scale = static_cast<double>(bytes.value->count()) * 8 / 1e9 / counted.seconds();
    }
    if (m.quantity.empty()) continue;
    ObservationSpec o = imported(import, id, fmt::format("{}.{}", id, m.column), counted.where);
    o.quantity = {std::string(m.quantity), counted.where};
    o.unit = {std::string(m.unit), counted.where};
    o.value = c.counted * scale;
    // Each end of the window is within a count.
    o.rounding.value = scale;
    o.tolerance.value = import.tolerance.value * o.value;
    file.observations.push_back(o);
  }
  if (file.observations.empty()) {
    throw input_error(counted.where,
                      "no counter here is compared with anything: expected port_xmit_data, "
                      "packet_seq_err, out_of_sequence with port_rcv_packets, or "
                      "rx_write_requests with the import's message");
  }
  return file;
}

}  // namespace horae::question
