#include "horae/question/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"

namespace horae::question {

const std::array<Readings, 2>& both_ways() {
  static constexpr std::array<Readings, 2> both = {
      Readings{}, Readings{Readings::Rate::l2, Readings::Ratio::payload, Readings::Nacks::both}};
  return both;
}

void select_reading(Readings& readings, const std::string& text) {
  const auto equals = text.find('=');
  const std::string key = text.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  const auto choose = [&](auto& member, const std::vector<std::string>& names) {
    const auto it = std::find(names.begin(), names.end(), value);
    if (it == names.end()) {
      throw InputError(fmt::format("--reading {}: expected {} = {}, found '{}'", text, key,
                                   fmt::join(names, " or "), value));
    }
    member = static_cast<std::remove_reference_t<decltype(member)>>(it - names.begin());
  };
  if (key == "rate") return choose(readings.rate, {"l1", "l2"});
  if (key == "ratio") return choose(readings.ratio, {"unique", "payload"});
  if (key == "nacks") return choose(readings.nacks, {"sender", "both"});
  throw InputError(fmt::format("--reading {}: unknown reading '{}'{}", text, key,
                               suggestion(key, {"rate", "ratio", "nacks"})));
}

std::vector<std::string> reading_texts(const Readings& r) {
  return {r.rate == Readings::Rate::l1 ? "rate=l1" : "rate=l2",
          r.ratio == Readings::Ratio::unique ? "ratio=unique" : "ratio=payload",
          r.nacks == Readings::Nacks::sender ? "nacks=sender" : "nacks=both"};
}

std::vector<std::pair<std::string, Readings>> flipped(const Readings& readings) {
  std::vector<std::pair<std::string, Readings>> out;
  Readings rate = readings, ratio = readings, nacks = readings;
  rate.rate = readings.rate == Readings::Rate::l1 ? Readings::Rate::l2 : Readings::Rate::l1;
  ratio.ratio = readings.ratio == Readings::Ratio::unique ? Readings::Ratio::payload
                                                          : Readings::Ratio::unique;
  nacks.nacks =
      readings.nacks == Readings::Nacks::sender ? Readings::Nacks::both : Readings::Nacks::sender;
  return {{reading_texts(rate)[0], rate},
          {reading_texts(ratio)[1], ratio},
          {reading_texts(nacks)[2], nacks}};
}

std::vector<std::pair<std::string, Readings>> open_readings(
    const Readings& readings, const std::vector<std::string>& quantities) {
  auto out = flipped(readings);
  std::erase_if(out, [&](const auto& other) {
    return std::all_of(quantities.begin(), quantities.end(), [&](const auto& quantity) {
      return metric_of(quantity, readings) == metric_of(quantity, other.second);
    });
  });
  return out;
}

const std::vector<MeasuredQuantity>& quantities() {
  constexpr ValueRange share = {0, 1}, any = {};
  static const std::vector<MeasuredQuantity> all = {
      {"tx_share", "share of line", 0.005, share,
       "what the port sent, over the line rate (reading rate)"},
      {"tx_rate", "Gbps", 0.05, any, "what the port sent, per sender (reading rate)"},
      {"goodput_ratio", "ratio", 0.0005, share,
       "what was sent first over all sent (reading ratio)"},
      {"goodput", "Gbps", 0.05, any, "data packets sent first, headers included, per sender"},
      {"nack_rate", "Mpps", 0.005, any, "NACKs received (reading nacks)"},
      {"nacks_per_packet", "NACKs/packet", 0.0005, any, "NACKs received per data packet sent"},
      {"reorder_mean", "packets", 0.5, any, "how far ahead of the expected one packets arrive"},
      {"reorder_max", "packets", 0.5, any, "the furthest"},
      {"delivered_rate", "Gbps", 0.05, any, "payload written to memory, per receiver"},
  };
  return all;
}

const MeasuredQuantity* find_quantity(const std::string& name) {
  for (const auto& q : quantities()) {
    if (q.name == name) return &q;
  }
  return nullptr;
}

const MeasuredQuantity* quantity_behind(const std::string& name) {
  for (const auto& q : quantities()) {
    const std::string quantity(q.name);
    if (quantity == name) return &q;
    for (const Readings& r : both_ways()) {
      if (metric_of(quantity, r) == name) return &q;
    }
  }
  return nullptr;
}

std::string metric_of(const std::string& quantity, const Readings& r) {
  const bool l1 = r.rate == Readings::Rate::l1;
  if (quantity == "tx_share") return l1 ? "senders.tx_share" : "senders.tx_share_l2";
  if (quantity == "tx_rate") return l1 ? "senders.tx_rate_l1" : "senders.tx_rate_l2";
  if (quantity == "goodput_ratio") {
    return r.ratio == Readings::Ratio::unique ? "senders.goodput_ratio" : "senders.payload_ratio";
  }
  if (quantity == "nack_rate") {
    return r.nacks == Readings::Nacks::sender ? "senders.nack_rate" : "senders.nack_rate_total";
  }
  if (quantity.starts_with("reorder_") || quantity == "delivered_rate")
    return "receivers." + quantity;
  return find_quantity(quantity) != nullptr ? "senders." + quantity : quantity;
}

bool same_quantity(const std::string& a, const std::string& b) {
  const auto& both = both_ways();
  return std::all_of(both.begin(), both.end(),
                     [&](const Readings& r) { return metric_of(a, r) == metric_of(b, r); });
}

ValueRange range_of(const std::string& quantity, const std::string& unit) {
  if (const MeasuredQuantity* known = quantity_behind(quantity)) return known->range;
  return unit.starts_with("share of ") ? ValueRange{0, 1} : ValueRange{};
}

void check_quantity(const Located<std::string>& quantity) {
  const std::string& name = quantity.value;
  if (find_quantity(name) != nullptr || name.find('.') != std::string::npos) return;
  std::vector<std::string> names;
  for (const auto& q : quantities()) names.emplace_back(q.name);
  throw input_error(quantity.where,
                    fmt::format("unknown quantity '{}'{}", name, suggestion(name, names)));
}

}  // namespace horae::question
