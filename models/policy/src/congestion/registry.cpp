#include "horae/core/registry.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/congestion/dcqcn.hpp"

namespace horae::policy {
namespace {

template <class Entry>
std::vector<std::pair<std::string, std::string>> names_of(const std::vector<Entry>& entries) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& entry : entries) {
    names.emplace_back(std::string(entry.name), std::string(entry.name));
  }
  return names;
}

const CongestionEntry& find_algorithm(std::string_view name) {
  return find_named(congestion_algorithms(), "congestion algorithm", name);
}

}  // namespace

const Schema<CongestionConfig>& CongestionConfig::schema() {
  static const Schema<CongestionConfig> s =
      Schema<CongestionConfig>("congestion", "Congestion control of a queue pair.")
          .choice("algorithm", &CongestionConfig::algorithm, names_of(congestion_algorithms()),
                  {.doc = "what sets the rate"})
          .choice("parameters", &CongestionConfig::parameters, names_of(dcqcn_parameter_sets()),
                  {.doc = "the values of DCQCN to start from: its paper, NVIDIA's defaults, the "
                          "HPCC simulator"})
          .table("dcqcn", &CongestionConfig::dcqcn, dcqcn_schema())
          .choice("nack_reaction", &CongestionConfig::nack_reaction, names_of(nack_reactions()),
                  {.doc = "what a NACK does to the rate (`horae list policies`)",
                   .source = "no public specification for ConnectX",
                   .verified = false})
          .field("nack_cnp_paced", &CongestionConfig::nack_cnp_paced,
                 {.doc = "paired_cnp: CNPs with NACKs keep dcqcn.cnp_interval as others do",
                  .source = "no public value; MIN_TIME_BETWEEN_CNPS names no exception",
                  .verified = false})
          .field(
              "nack_rate_kept", &CongestionConfig::nack_rate_kept,
              {.doc = "saturating_cut, slow_restart: percent of the rate that a cut leaves",
               .min = 1,
               .max = 100,
               .source = "half: an independent study of ConnectX slow restart; no vendor's value",
               .verified = false})
          .field("nack_min_gap", &CongestionConfig::nack_min_gap,
                 {.doc = "saturating_cut, slow_restart: least time between cuts by NACKs",
                  .max = 1000_ms,
                  .source = "300 us: an independent study of ConnectX slow restart; 60 to 390 us "
                            "would fit half the line rate",
                  .verified = false})
          .choice("nack_target", &CongestionConfig::nack_target,
                  {{"keep", NackTarget::keep},
                   {"previous", NackTarget::previous},
                   {"reset", NackTarget::reset}},
                  {.doc = "saturating_cut, slow_restart: the target rate after a cut: as it was, "
                          "the rate before, the rate after (saturating_cut: keep; slow_restart: "
                          "reset)",
                   .source = "reset: an independent study of ConnectX slow restart",
                   .verified = false})
          .field("nack_floor", &CongestionConfig::nack_floor,
                 {.doc = "floor: least rate in percent of the line rate",
                  .max = 100,
                  .source = "no public value; half the line rate is what section 2.3 of the "
                            "packet-spraying paper measured",
                  .verified = false});
  return s;
}

const std::vector<CongestionEntry>& congestion_algorithms() {
  static const std::vector<CongestionEntry> all = {
      {"none", "line rate, no CNPs", make_no_reaction, make_no_notification},
      {"dcqcn", "rates cut by CNPs, recovered by timer and byte counter", make_dcqcn_reaction,
       make_dcqcn_notification},
  };
  return all;
}

const std::vector<NackReactionEntry>& nack_reactions() {
  static const std::vector<NackReactionEntry> all = {
      {"ignore", "a NACK does nothing to the rate", false, make_nack_ignore},
      {"cnp", "a NACK is a CNP", false, make_nack_cnp},
      {"paired_cnp", "the receiver sends a CNP with every NACK", true, make_nack_paired_cnp},
      {"saturating_cut", "a share of the rate at most once per gap, target kept", false,
       make_nack_saturating_cut},
      {"floor", "a NACK is a CNP, but the rate has a floor", false, make_nack_floor},
      {"slow_restart", "a share of the rate at most once per gap, target and alpha start over",
       false, make_nack_slow_restart},
  };
  return all;
}

const NackReactionEntry& find_nack_reaction(std::string_view name) {
  return find_named(nack_reactions(), "NACK reaction", name);
}

void check(const CongestionConfig& config, BitRate line) {
  const NackReactionEntry& reaction = find_nack_reaction(config.nack_reaction);
  const auto p = dcqcn_parameters(config.parameters, config.dcqcn, line);
  if (find_algorithm(config.algorithm).name == "none") {
    if (reaction.name == "ignore") return;
    throw InputError(
        fmt::format("nack_reaction = '{}' acts on the rates of algorithm = 'dcqcn', "
                    "but algorithm = 'none'",
                    reaction.name));
  }
  if (p.min_rate > line) {
    throw InputError(
        fmt::format("dcqcn.min_rate = {} of parameters = '{}' is above the line rate "
                    "{}",
                    to_text(p.min_rate), config.parameters, to_text(line)));
  }
}

std::unique_ptr<ReactionPoint> make_reaction_point(const CongestionConfig& config, BitRate line) {
  check(config, line);
  return find_algorithm(config.algorithm).make_reaction(config, line);
}

std::unique_ptr<NotificationPoint> make_notification_point(const CongestionConfig& config) {
  return find_algorithm(config.algorithm).make_notification(config);
}

}  // namespace horae::policy
