#include "horae/core/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "horae/core/error.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/plugin.hpp"

namespace horae::policy {

// Each is defined in a file of its name (dcqcn: dcqcn_algorithm.cpp; reactions: nack_*.cpp).
CongestionEntry no_congestion(), dcqcn_congestion(), dctcp_congestion(), hpcc_congestion(),
    swift_congestion(), timely_congestion(), mprdma_congestion(), constant_congestion(),
    nscc_congestion(), eqds_congestion();
NackReactionEntry ignore_reaction(), cnp_reaction(), paired_cnp_reaction(),
    saturating_cut_reaction(), floor_reaction(), slow_restart_reaction();

namespace {
Registry<CongestionEntry>& congestion_registry() {
  static Registry<CongestionEntry> all("congestion algorithm", {
                                                                   no_congestion(),
                                                                   dcqcn_congestion(),
                                                                   dctcp_congestion(),
                                                                   hpcc_congestion(),
                                                                   swift_congestion(),
                                                                   timely_congestion(),
                                                                   mprdma_congestion(),
                                                                   constant_congestion(),
                                                                   nscc_congestion(),
                                                                   eqds_congestion(),
                                                               });
  return all;
}
}  // namespace

const std::vector<CongestionEntry>& congestion_algorithms() { return congestion_registry().all(); }
void add_congestion_algorithm(CongestionEntry entry) {
  congestion_registry().add(std::move(entry));
}

namespace {
Registry<NackReactionEntry>& reaction_registry() {
  static Registry<NackReactionEntry> all("NACK reaction", {
                                                              ignore_reaction(),
                                                              cnp_reaction(),
                                                              paired_cnp_reaction(),
                                                              saturating_cut_reaction(),
                                                              floor_reaction(),
                                                              slow_restart_reaction(),
                                                          });
  return all;
}
}  // namespace

const std::vector<NackReactionEntry>& nack_reactions() { return reaction_registry().all(); }
void add_nack_reaction(NackReactionEntry entry) { reaction_registry().add(std::move(entry)); }

Schema<CongestionConfig> CongestionConfig::schema_with(
    const std::vector<CongestionEntry>& algorithms,
    const std::vector<NackReactionEntry>& reactions) {
  return Schema<CongestionConfig>("congestion", "Congestion control of a queue pair.")
      .choice("algorithm", &CongestionConfig::algorithm, names_of(algorithms),
              {.doc = "algorithm that sets the rate (`horae list policies`)"})
      .include(parameters_of(algorithms), &CongestionConfig::parameters)
      .choice("nack_reaction", &CongestionConfig::nack_reaction, names_of(reactions),
              {.doc = "what a NACK does to the rate (`horae list policies`)",
               .source = "no public specification for ConnectX",
               .verified = false})
      .include(parameters_of(reactions), &CongestionConfig::parameters);
}

const Schema<CongestionConfig>& CongestionConfig::schema() {
  static const Schema<CongestionConfig> s = schema_with(congestion_algorithms(), nack_reactions());
  return s;
}

const CongestionEntry& find_congestion_algorithm(std::string_view name) {
  return find_named(congestion_algorithms(), "congestion algorithm", name);
}

const NackReactionEntry& find_nack_reaction(std::string_view name) {
  return find_named(nack_reactions(), "NACK reaction", name);
}

void check(const CongestionConfig& config, BitRate line) {
  find_nack_reaction(config.nack_reaction);
  find_congestion_algorithm(config.algorithm).check(config, line);
}

void refuse_acting_reactions(const CongestionConfig& config) {
  const NackReactionEntry& reaction = find_nack_reaction(config.nack_reaction);
  if (!reaction.acts) return;
  std::vector<std::string> others;
  for (const CongestionEntry& entry : congestion_algorithms()) {
    if (entry.takes_nack_reactions) others.push_back(fmt::format("'{}'", entry.name));
  }
  throw InputError(
      fmt::format("nack_reaction = '{}' acts on the rates of algorithm = {}, but algorithm = '{}'",
                  reaction.name, fmt::join(others, " or "), config.algorithm));
}

std::unique_ptr<ReactionPoint> make_reaction_point(const CongestionConfig& config, BitRate line,
                                                   Bytes mtu) {
  check(config, line);
  return find_congestion_algorithm(config.algorithm).make_reaction(config, line, mtu);
}

std::unique_ptr<NotificationPoint> make_notification_point(const CongestionConfig& config) {
  const auto make = find_congestion_algorithm(config.algorithm).make_notification;
  return make == nullptr ? nullptr : make(config);
}

}  // namespace horae::policy
