#include "thresholds.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "horae/core/quantity_text.hpp"

namespace horae::config {
namespace {

/// Entries of a table's list `key` differ in `of`, which is their key `name`.
template <class Entry, class Value, class Text>
void check_distinct(const std::vector<Entry>& entries, Value Entry::*of, const Section& table,
                    const char* key, const char* name, Text&& text) {
  std::set<Value> seen;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!seen.insert(entries[i].*of).second) {
      throw table.children(key)[i].error(
          name, fmt::format("{} has an entry already", text(entries[i].*of)));
    }
  }
}

/// Each rate has one entry of `by_rate`.
template <class Entry>
void check_rates(const std::vector<Entry>& entries, const Section& table) {
  check_distinct(entries, &Entry::rate, table, "by_rate", "rate",
                 [](BitRate rate) { return "rate = " + to_text(rate); });
}

/// Each class has one entry of `by_class`.
template <class Entry>
void check_numbers(const std::vector<Entry>& entries, const Section& table) {
  check_distinct(entries, &Entry::number, table, "by_class", "number",
                 [](std::uint32_t number) { return fmt::format("class {}", number); });
}

void check_of_classes(const fabric::PfcConfig& pfc, const Section& profile) {
  if (!pfc.by_class) return;
  const Section table = profile.child("pfc");
  if (!pfc.priorities) {
    throw table.error("by_class",
                      "by_class gives thresholds to classes that pause; expected 'priorities' "
                      "beside it, which says those");
  }
  check_numbers(*pfc.by_class, table);
  for (std::size_t i = 0; i < pfc.by_class->size(); ++i) {
    const fabric::PfcOfClass& c = (*pfc.by_class)[i];
    const Section entry = table.children("by_class")[i];
    if (!pfc.pauses(c.number)) {
      throw entry.error("number",
                        fmt::format("class {} is none of priorities: it never pauses", c.number));
    }
    const bool dynamic = pfc.dynamic();
    for (const char* key : dynamic ? std::array{"xoff", "xon"} : std::array{"alpha", "minimum"}) {
      if (!entry.has(key)) continue;
      const char* kind = dynamic ? "alpha" : "xoff";
      throw entry.error(
          key, fmt::format("{} beside {}: thresholds are fixed or dynamic; expected an '{}'", key,
                           kind, kind));
    }
    const Bytes xon = c.xon.value_or(pfc.xon), xoff = c.xoff.value_or(pfc.xoff);
    if (xon > xoff) {
      throw entry.error(entry.has("xon") ? "xon" : "xoff",
                        fmt::format("xon = {} of class {} is above its xoff = {}", to_text(xon),
                                    c.number, to_text(xoff)));
    }
  }
}

void check_priorities(const fabric::PfcConfig& pfc, const Section& profile) {
  if (!pfc.priorities) return;
  const Section table = profile.child("pfc");
  const auto refuse = [&](const std::string& problem) { throw table.error("priorities", problem); };
  if (!pfc.enabled())
    refuse("priorities are the classes that pause; expected an 'alpha' or 'xoff' beside it");
  if (pfc.priorities->empty())
    refuse("no priorities; expected the classes that pause, or no 'pfc'");
  if (table.has("classes"))
    refuse("priorities beside classes: both say how many classes have headroom; expected one");
  std::set<std::uint32_t> seen;
  for (const std::uint32_t c : *pfc.priorities) {
    if (!seen.insert(c).second) refuse(fmt::format("class {} stands twice in priorities", c));
  }
}

}  // namespace

void check_classes(const fabric::SwitchConfig& config, const Section& profile) {
  if (config.pfc.priorities && config.control_class && config.pfc.pauses(*config.control_class)) {
    throw profile.child("pfc").error(
        "priorities", fmt::format("class {} is the control_class, which never pauses anybody",
                                  *config.control_class));
  }
  if (!config.classes) return;
  fabric::check_classes(*config.classes, profile);
  if (config.schedule != fabric::QueueSchedule::fifo) {
    throw profile.error("schedule",
                        "[[class]] serves queues in the order of arrival; expected schedule = "
                        "\"fifo\"");
  }
  const auto tables = profile.children("class");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const fabric::ClassConfig& c = (*config.classes)[i];
    if (c.rate.count() > 0)
      throw tables[i].error("rate", "plain switches have no shapers; expected kind = \"tofino\"");
    if (!c.limited()) continue;
    const char* key = c.share > 0 ? "share" : "limit";
    if (c.share > 0 && config.buffer.count() == 0)
      throw tables[i].error("share", "share is of the free buffer; expected a 'buffer' beside it");
    if (config.pfc.priorities && config.pfc.pauses(c.number)) {
      throw tables[i].error(key, fmt::format("class {} pauses (pfc.priorities): its limits are "
                                             "those of [pfc]",
                                             c.number));
    }
  }
}

void check_ecn(const fabric::RedConfig& ecn, const Section& profile) {
  const auto check = [](const auto& thresholds, const Section& table) {
    if (thresholds.kmax.count() == 0 || thresholds.kmax >= thresholds.kmin) return;
    throw table.error("kmax", fmt::format("kmax = {} is below kmin = {}", to_text(thresholds.kmax),
                                          to_text(thresholds.kmin)));
  };
  if (ecn.kmax.count() > 0) check(ecn, profile.child("ecn"));
  if (ecn.by_class) {
    const Section table = profile.child("ecn");
    check_numbers(*ecn.by_class, table);
    for (std::size_t i = 0; i < ecn.by_class->size(); ++i)
      check((*ecn.by_class)[i], table.children("by_class")[i]);
  }
  if (!ecn.by_rate) return;
  const Section table = profile.child("ecn");
  check_rates(*ecn.by_rate, table);
  for (std::size_t i = 0; i < ecn.by_rate->size(); ++i)
    check((*ecn.by_rate)[i], table.children("by_rate")[i]);
}

void check_pfc(const fabric::PfcConfig& pfc, const Section& profile) {
  if (pfc.by_rate) {
    const Section table = profile.child("pfc");
    check_rates(*pfc.by_rate, table);
    if (!pfc.dynamic()) {
      throw table.error("by_rate",
                        "by_rate gives an alpha of its own to ports of some rates; "
                        "expected an 'alpha' beside it for all others");
    }
  }
  check_priorities(pfc, profile);
  check_of_classes(pfc, profile);
  if (pfc.headroom_delays && pfc.headroom.count() > 0) {
    throw profile.child("pfc").error("headroom_delays",
                                     fmt::format("headroom_delays beside headroom = {}; expected "
                                                 "one of the two",
                                                 to_text(pfc.headroom)));
  }
  if (pfc.dynamic()) {
    for (const auto& [key, value] : {std::pair{"xoff", pfc.xoff}, {"xon", pfc.xon}}) {
      if (value.count() == 0) continue;
      throw profile.child("pfc").error(
          key, fmt::format("{} = {} beside alpha: thresholds are fixed or dynamic", key,
                           to_text(value)));
    }
  }
  if (pfc.xon > pfc.xoff) {
    throw profile.child("pfc").error(
        "xon", fmt::format("xon = {} is above xoff = {}", to_text(pfc.xon), to_text(pfc.xoff)));
  }
}

void check_pools(const std::optional<std::vector<fabric::PoolConfig>>& pools,
                 const fabric::PfcConfig& pfc, const Section& profile) {
  if (!pools || !pfc.enabled() || pfc.priorities) return;
  throw profile.child("pfc").error(
      "priorities",
      "missing key 'priorities': with a [[pool]] it says which classes pause, and so have their "
      "headroom in their pool");
}

void check_full_queues(const fabric::SwitchConfig& config, const Section& profile) {
  const bool full = config.queue_limit.count() > 0 || config.queue_share > 0;
  if (config.trim && config.trim->count() > 0 && *config.trim < fabric::shortest_trimmed) {
    throw profile.error("trim",
                        fmt::format("trim = {} is out of range; expected 0 B (drop), or {} "
                                    "or more",
                                    to_text(*config.trim), to_text(fabric::shortest_trimmed)));
  }
  if (config.trims() && !full && config.buffer.count() == 0) {
    throw profile.error("trim",
                        "trim needs queues that can be full: a 'queue_limit', 'queue_share' or "
                        "'buffer'");
  }
  if (config.full && !full) {
    throw profile.error("full",
                        "full needs queues that can be full: a 'queue_limit' or 'queue_share'");
  }
  if (config.full == fabric::WhenFull::half && config.schedule != fabric::QueueSchedule::fifo) {
    throw profile.error("full",
                        "full = \"half\" is of queues in the order of arrival; expected schedule = "
                        "\"fifo\"");
  }
  if (config.trim_class && !config.trim) {
    throw profile.error("trim_class",
                        "trim_class is of trimmed packets; expected a 'trim' beside it");
  }
  for (const char* key : {"full", "trim"}) {
    if (!profile.has(key) || !(config.voq || config.notify)) continue;
    throw profile.error(
        key, fmt::format("{} is not of a switch with '{}'", key, config.voq ? "voq" : "notify"));
  }
}

}  // namespace horae::config
