#include "source.hpp"

namespace horae::programs::themis {

using dataplane::ConditionSpec;
using dataplane::HashSpec;
using dataplane::Needs;
using dataplane::RegisterSpec;

namespace {

/// No PSN: 24 bits never reach it.
constexpr std::uint32_t no_psn = ~std::uint32_t{0};

bool by_port(const ThemisConfig& config) { return config.path_control == PathControl::port; }

}  // namespace

Source::Avoidance::Avoidance(dataplane::Pipeline& pipeline, const ThemisConfig& config,
                             const dataplane::Object& qp_table, const dataplane::Gateway& is_data,
                             const dataplane::Gateway& is_nack)
    : is_signal(pipeline, in, "is_signal", {}, Needs{guarded_by(is_nack)}),
      path_adaptive_count(pipeline, in, "path_adaptive_count",
                          RegisterSpec{.width = 32,
                                       .entries = std::uint64_t{config.qps()} * config.paths,
                                       .pieces = config.pieces,
                                       .reads = {"source_qp", "psn"}},
                          Needs{matches(qp_table), guarded_by(is_data), guarded_by(is_signal)}),
      spend(pipeline, path_adaptive_count, "spend"),
      fill(pipeline, path_adaptive_count, "fill", Fill{config.avoidance_window}) {}

Source::NackedPsn::NackedPsn(dataplane::Pipeline& pipeline, const RegisterSpec& spec,
                             const Needs& needs)
    : array(pipeline, in, "recved_nack_psn", spec, needs, no_psn),
      is(pipeline, array, "is"),
      set(pipeline, array, "set") {}

Source::Reroute::Reroute(dataplane::Pipeline& pipeline, const Needs& reasons,
                         const dataplane::Object* add_path)
    : other_path(pipeline, in, "other_path",
                 ConditionSpec{.terms = static_cast<std::uint32_t>(reasons.size())}, reasons),
      random_path(pipeline, in, "random_path", Needs{guarded_by(other_path)}),
      alter_path(pipeline, in, "alter_path", {},
                 add_path != nullptr
                     ? Needs{uses(random_path), overwrites(*add_path), guarded_by(other_path)}
                     : Needs{uses(random_path), guarded_by(other_path)}) {}

Source::Source(dataplane::Pipeline& pipeline, const ThemisConfig& config,
               const dataplane::Object& routes, const dataplane::Gateway& is_data,
               const dataplane::Gateway* is_nack, const std::vector<PathTier>& tiers)
    : config_(config),
      is_data_(is_data),
      is_nack_(is_nack),
      qps_(pipeline, in, "source_qps", config.qps()),
      base_path_(by_port(config) ? std::make_unique<dataplane::Hash>(
                                       pipeline, in, "base_path",
                                       HashSpec{.input_bits = 104, .output_bits = 16})
                                 : nullptr),
      pathmap_(by_port(config)
                   ? std::make_unique<dataplane::Variable<std::uint16_t>>(
                         pipeline, in, "pathmap",
                         RegisterSpec{.width = 16, .entries = config.paths, .reads = {"psn"}},
                         Needs{guarded_by(is_data)})
                   : nullptr),
      recved_nack_psn_(make_nack_psn(pipeline)),
      avoidance_(make_avoidance(pipeline)),
      add_path_(by_port(config) ? std::make_unique<dataplane::Action>(
                                      pipeline, in, "add_path", dataplane::ActionSpec{},
                                      Needs{uses(*base_path_), uses(pathmap_->array), uses(routes)})
                                : nullptr) {
  if (recved_nack_psn_ || avoidance_) reroute_.emplace(pipeline, reasons(), add_path_.get());
  if (!by_port(config)) {
    steering_.emplace(pipeline, config, routes, is_data, reroute_ ? &reroute_->alter_path : nullptr,
                      tiers);
    return;
  }
  for (std::uint32_t i = 0; i < config.paths; ++i)
    pathmap_->array.write(i, static_cast<std::uint16_t>(i));
}

std::optional<Source::NackedPsn> Source::make_nack_psn(dataplane::Pipeline& pipeline) {
  using Made = std::optional<NackedPsn>;
  if (is_nack_ == nullptr || !config_.rerouting) return Made();
  return Made(std::in_place, pipeline,
              RegisterSpec{.width = 32, .entries = config_.qps(), .reads = {"source_qp"}},
              Needs{matches(qps_.table()), guarded_by(is_data_), guarded_by(*is_nack_)});
}

std::optional<Source::Avoidance> Source::make_avoidance(dataplane::Pipeline& pipeline) {
  using Made = std::optional<Avoidance>;
  if (is_nack_ == nullptr || !config_.failure_handling) return Made();
  return Made(std::in_place, pipeline, config_, qps_.table(), is_data_, *is_nack_);
}

/// Gates that may send a packet by another path.
Needs Source::reasons() const {
  Needs needs;
  if (recved_nack_psn_) needs.push_back(matches(recved_nack_psn_->array));
  if (avoidance_) needs.push_back(matches(avoidance_->path_adaptive_count));
  return needs;
}

Needs Source::chosen_by() const {
  if (steering_) return {matches(steering_->last())};
  Needs needs = {matches(*add_path_)};
  if (reroute_) needs.push_back(matches(reroute_->alter_path));
  return needs;
}

}  // namespace horae::programs::themis
