// Observations out of perftest's lines, and its text output (linux-rdma/perftest,
// perftest_parameters.h: RESULT_FMT, RESULT_FMT_G and the lines above them).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "horae/core/error.hpp"
#include "measured_rows.hpp"

namespace horae::question {
namespace {

constexpr double bits_per_byte = 8;
constexpr double mebibyte = 1 << 20;  // perftest's "MB"
/// Name that the measured table is given, whose latency is a result by that.
constexpr std::string_view latency_table = "measured";

struct Word {
  std::string_view text;
  Location where;
};

std::vector<Word> words_of(std::string_view line, const std::string& name, std::uint32_t number) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<Word> out;
  for (std::size_t i = line.find_first_not_of(blanks); i != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, i), line.size());
    out.push_back({line.substr(i, end - i), {name, number, static_cast<std::uint32_t>(i + 1), {}}});
    i = line.find_first_not_of(blanks, end);
  }
  return out;
}

/// The word after "LABEL :" anywhere in the line; two such pairs stand in one.
std::optional<Word> after(std::string_view line, std::string_view label, const std::string& name,
                          std::uint32_t number) {
  const auto words = words_of(line, name, number);
  const auto labels = words_of(label, name, number);
  for (std::size_t i = 0; i + labels.size() + 1 < words.size(); ++i) {
    bool same = true;
    for (std::size_t k = 0; k < labels.size(); ++k)
      same = same && words[i + k].text == labels[k].text;
    if (same && words[i + labels.size()].text == ":") return words[i + labels.size() + 1];
  }
  return std::nullopt;
}

/// Payload in Gbps, from whichever of the two numbers is printed more finely. Both must say the
/// same: the unit of the average is found that way.
PrintedNumber payload_gbps(const PerftestRow& r) {
  const double per_message = static_cast<double>(r.bytes) * bits_per_byte / 1e3;  // Mpps to Gbps
  const PrintedNumber by_rate = {r.rate.value * per_message, r.rate.rounding * per_message};
  for (const double unit : {1.0, mebibyte * bits_per_byte / 1e9}) {
    const PrintedNumber by_average = {r.average.value * unit, r.average.rounding * unit};
    constexpr double same = 0.01;
    const double apart = std::fabs(by_average.value - by_rate.value);
    if (apart > by_average.rounding + by_rate.rounding + same * by_rate.value) continue;
    return by_average.rounding < by_rate.rounding ? by_average : by_rate;
  }
  throw input_error(r.where, fmt::format("BW average {:g} is neither Gb/sec nor MB/sec (2^20) of "
                                         "{:g} Mpps with {} bytes",
                                         r.average.value, r.rate.value, r.bytes));
}

/// Messages of both ways together in a microsecond: one in each half of a round trip.
PrintedNumber per_microsecond(const PerftestRow& r) {
  const PrintedNumber& half = *r.latency;
  if (half.value <= half.rounding)
    throw input_error(r.where, fmt::format("t_avg {:g} us; expected more than that", half.value));
  return {1 / half.value, half.rounding / (half.value * half.value)};
}

std::string condition_name(const ImportSpec& import, const PerftestRow& r) {
  const std::string of = r.verb == "write" ? std::string() : fmt::format("{}.", r.verb);
  const std::string service = r.service == "rc" ? std::string() : fmt::format("{}.", r.service);
  const std::string name = fmt::format("{}{}{}q{}.s{}", r.latency ? "latency." : "", service, of,
                                       r.queue_pairs, r.bytes);
  return import.id.empty() ? name : import.id + "." + name;
}

ConditionSpec condition_of(const ImportSpec& import, const PerftestRow& r) {
  ConditionSpec c;
  c.id = {condition_name(import, r), r.where};
  const std::string of = r.verb == "write" ? std::string() : fmt::format(", {}", r.verb);
  c.title = fmt::format("{} queue pairs, messages of {} bytes{}", r.queue_pairs, r.bytes, of);
  c.set = import.set;
  c.reaction = import.reaction;
  const auto set = [&](const std::string& text) { c.set.push_back({text, r.where}); };
  if (r.verb != "write") set(fmt::format("traffic[0].verb={}", r.verb));
  if (r.service != "rc") set(fmt::format("traffic[0].service={}", r.service));
  if (r.latency) set(fmt::format("traffic[0].name={}", latency_table));
  set(fmt::format("traffic[0].message={}B", r.bytes));
  set(fmt::format("traffic[0].qps={}", r.queue_pairs));
  // A latency test has one message under way.
  if (r.depth || r.latency) set(fmt::format("traffic[0].depth={}", r.latency ? 1 : *r.depth));
  if (r.halved) set("traffic[0].ping_pong=true");
  if (r.mtu) set(fmt::format("nic.mtu={}B", *r.mtu));
  if (r.receive_depth && (r.verb == "send" || r.verb == "write_imm"))
    set(fmt::format("nic.receive.depth={}", *r.receive_depth));
  if (r.reads) set(fmt::format("nic.reliability.rd_atomic={}", *r.reads));
  return c;
}

}  // namespace

std::string_view perftest_verb(std::string_view test) {
  const auto has = [test](std::string_view word) { return test.find(word) != test.npos; };
  if (has("Write_imm")) return "write_imm";
  if (has("Write")) return "write";
  if (has("Read")) return "read";
  if (has("CMP_AND_SWAP")) return "compare_swap";
  if (has("FETCH_AND_ADD")) return "fetch_add";
  return has("Send") ? "send" : "";
}

bool is_halved(std::string_view verb) {
  return verb == "write" || verb == "write_imm" || verb == "send";
}

std::string_view perftest_service(std::string_view type, const Location& where,
                                  std::string_view what) {
  if (type == "RC") return "rc";
  if (type == "UC") return "uc";
  if (type == "UD") return "ud";
  throw input_error(where,
                    fmt::format("{} '{}' is not modelled; expected RC, UC or UD", what, type));
}

std::vector<PerftestRow> perftest_text_rows(std::string_view text, const std::string& name) {
  std::vector<PerftestRow> rows;
  PerftestRow now;
  bool table = false, latency = false;
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    const auto words = words_of(line, name, number);
    if (words.empty()) continue;
    if (words[0].text.find(" BW Test") != std::string_view::npos ||
        line.find(" BW Test") != std::string_view::npos ||
        line.find(" Latency Test") != std::string_view::npos) {
      table = false;
      now = PerftestRow{};
      now.verb = perftest_verb(line);
      latency = line.find(" Latency Test") != std::string_view::npos;
      now.halved = latency && is_halved(now.verb);
      if (now.verb.empty()) {
        throw input_error(words[0].where,
                          fmt::format("'{}' is not modelled; expected a BW Test of RDMA_Write, "
                                      "RDMA_Read, Send or Atomic (ib_write_bw and others)",
                                      words[0].text));
      }
    }
    if (const auto w = after(line, "Number of qps", name, number))
      now.queue_pairs = printed_whole(w->text, w->where, "Number of qps");
    if (const auto w = after(line, "TX depth", name, number))
      now.depth = printed_whole(w->text, w->where, "TX depth");
    if (const auto w = after(line, "RX depth", name, number))
      now.receive_depth = printed_whole(w->text, w->where, "RX depth");
    if (const auto w = after(line, "Outstand reads", name, number))
      now.reads = printed_whole(w->text, w->where, "Outstand reads");
    if (const auto w = after(line, "Mtu", name, number))
      now.mtu = printed_whole(w->text.substr(0, w->text.find('[')), w->where, "Mtu");
    if (const auto w = after(line, "Connection type", name, number))
      now.service = perftest_service(w->text, w->where, "connection type");
    if (words[0].text == "#bytes") {
      constexpr std::string_view four = "BW average[";
      if (latency) {
        if (words.size() < 6 || words[4].text != "t_typical[usec]" ||
            words[5].text != "t_avg[usec]")
          throw input_error(words[0].where,
                            "expected the columns #bytes, #iterations, t_min[usec], t_max[usec], "
                            "t_typical[usec], t_avg[usec] and others");
      } else if (line.find(four) == std::string_view::npos ||
                 line.find("#sl") != std::string_view::npos)
        throw input_error(words[0].where,
                          "expected the columns #bytes, #iterations, BW peak, BW "
                          "average, MsgRate");
      table = true;
      continue;
    }
    if (words[0].text.front() == '-') table = false;
    if (!table) continue;
    if (words.size() < 5) {
      throw input_error(words[0].where,
                        fmt::format("{} columns; expected 5: #bytes, #iterations, BW peak, BW "
                                    "average, MsgRate",
                                    words.size()));
    }
    now.where = words[0].where;
    now.bytes = printed_whole(words[0].text, words[0].where, "#bytes");
    if (latency) {
      if (words.size() < 6)
        throw input_error(words[0].where, fmt::format("{} columns; expected 6 or more: #bytes, "
                                                      "#iterations, t_min, t_max, t_typical, t_avg",
                                                      words.size()));
      const Word& time = words[now.halved ? 5 : 4];
      now.latency = PrintedNumber::parse(time.text, time.where, now.halved ? "t_avg" : "t_typical");
      rows.push_back(now);
      continue;
    }
    now.average = PrintedNumber::parse(words[3].text, words[3].where, "BW average");
    now.rate = PrintedNumber::parse(words[4].text, words[4].where, "MsgRate");
    rows.push_back(now);
  }
  if (rows.empty()) {
    throw input_error({name, 0, 0, {}},
                      "no results of perftest: expected lines below '#bytes #iterations BW peak "
                      "BW average MsgRate', as ib_write_bw prints them");
  }
  return rows;
}

ObservationsFile perftest_observations(const std::vector<PerftestRow>& rows,
                                       const ImportSpec& import) {
  ObservationsFile file;
  std::map<std::string, std::vector<PrintedNumber>> repeated;
  for (const auto& r : rows) {
    if (r.bytes == 0 || r.queue_pairs == 0)
      throw input_error(r.where, "messages of no bytes, or no queue pairs");
    const std::string name = condition_name(import, r);
    auto& values = repeated[name];
    values.push_back(r.halved ? per_microsecond(r) : r.latency ? *r.latency : payload_gbps(r));
    if (values.size() > 1) continue;
    file.conditions.push_back(condition_of(import, r));
    ObservationSpec o =
        imported(import, name, name + (r.latency && !r.halved ? ".p50" : ".rate"), r.where);
    o.quantity = {!r.latency ? std::string("delivered_rate")
                             : fmt::format("traffic.{}.{}", latency_table,
                                           r.halved ? "message_rate" : "latency_p50"),
                  r.where};
    o.unit = {!r.latency ? "Gbps" : r.halved ? "million messages per second" : "us", r.where};
    file.observations.push_back(o);
  }
  for (auto& o : file.observations) {
    const auto& values = repeated.at(o.condition.value);
    const auto n = static_cast<double>(values.size());
    double squares = 0;
    for (const auto& v : values) {
      o.value += v.value / n;
      o.rounding.value = std::max(o.rounding.value, v.rounding);
    }
    for (const auto& v : values) squares += (v.value - o.value) * (v.value - o.value);
    const double spread = n > 1 ? std::sqrt(squares / (n - 1)) : 0;
    o.tolerance.value = import.tolerance.value * o.value + spread;
    if (n > 1) o.tolerance_why += fmt::format(", and the spread of {} runs", values.size());
  }
  return file;
}

}  // namespace horae::question
