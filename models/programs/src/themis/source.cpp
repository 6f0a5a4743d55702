#include "source.hpp"

namespace horae::programs::themis {

using dataplane::ConditionSpec;
using dataplane::HashSpec;
using dataplane::Join;
using dataplane::Needs;
using dataplane::Pass;
using dataplane::RegisterSpec;

namespace {

/// No PSN: 24 bits never reach it.
constexpr std::uint32_t no_psn = ~std::uint32_t{0};

bool by_port(const ThemisConfig& config) { return config.path_control == PathControl::port; }

}  // namespace

Source::Source(dataplane::Pipeline& pipeline, const ThemisConfig& config,
               const dataplane::Object& routes, const dataplane::Gateway& is_data,
               const dataplane::Gateway& is_nack, const std::vector<PathTier>& tiers)
    : config_(config),
      is_data_(is_data),
      is_nack_(is_nack),
      qps_(pipeline, in, "source_qps", config.qps()),
      base_path_(by_port(config) ? std::make_unique<dataplane::Hash>(
                                       pipeline, in, "base_path",
                                       HashSpec{.input_bits = 104, .output_bits = 16})
                                 : nullptr),
      pathmap_(by_port(config)
                   ? std::make_unique<dataplane::Register<std::uint16_t>>(
                         pipeline, in, "pathmap",
                         RegisterSpec{.width = 16, .entries = config.paths, .reads = {"psn"}},
                         Needs{guarded_by(is_data)})
                   : nullptr),
      recved_nack_psn_(pipeline, in, "recved_nack_psn",
                       RegisterSpec{.width = 32, .entries = config.qps(), .reads = {"source_qp"}},
                       Needs{matches(qps_.table()), guarded_by(is_data), guarded_by(is_nack)},
                       no_psn),
      is_signal_(pipeline, in, "is_signal", flags(1), {}, Needs{guarded_by(is_nack)}),
      path_adaptive_count_(
          pipeline, in, "path_adaptive_count",
          RegisterSpec{.width = 32,
                       .entries = std::uint64_t{config.qps()} * config.paths,
                       .pieces = config.pieces,
                       .reads = {"source_qp", "psn"}},
          Needs{matches(qps_.table()), guarded_by(is_data), guarded_by(is_signal_)}),
      add_path_(by_port(config) ? std::make_unique<dataplane::Action>(
                                      pipeline, in, "add_path", dataplane::ActionSpec{},
                                      Needs{uses(*base_path_), uses(*pathmap_), uses(routes)})
                                : nullptr),
      other_path_(pipeline, in, "other_path", flags(2, Join::any), {},
                  Needs{matches(recved_nack_psn_), matches(path_adaptive_count_)}),
      random_path_(pipeline, in, "random_path", Needs{guarded_by(other_path_)}),
      alter_path_(pipeline, in, "alter_path", {},
                  by_port(config)
                      ? Needs{uses(random_path_), overwrites(*add_path_), guarded_by(other_path_)}
                      : Needs{uses(random_path_), guarded_by(other_path_)}) {
  if (!by_port(config)) {
    steering_.emplace(pipeline, config, routes, is_data, alter_path_, tiers);
    return;
  }
  for (std::uint32_t i = 0; i < config.paths; ++i)
    pathmap_->write(i, static_cast<std::uint16_t>(i));
}

void Source::connect(const Connection& c) { qps_.add(c); }

std::uint32_t Source::path(Pass& pass, std::uint32_t n) {
  const Packet& p = pass.header();
  const std::uint32_t flow =
      steering_ ? 0 : base_path_->of(pass, {std::uint64_t{p.src} << 32 | p.dst, p.entropy}) % n;
  const std::uint32_t* qp = qps_.lookup(pass);
  if (qp != nullptr && is_data_.held(pass)) {
    if (!steering_) return spray(pass, flow, *qp, n);
    steer(pass, *qp, n);
  } else if (qp != nullptr && is_nack_.held(pass)) {
    take_note(pass, *qp);
  }
  return steering_ ? steering_->uplink(pass, n) : flow;
}

bool Source::must_move(const Pass& pass, std::uint32_t qp) {
  const Psn psn = pass.header().psn;
  const bool retransmitted = recved_nack_psn_.apply(
      pass, qp, [&](std::uint32_t& nacked) { return nacked == psn.value(); });
  const bool avoided =
      path_adaptive_count_.apply(pass, path_index(qp, psn), [](std::uint32_t& count) {
        const bool away = count != 0;
        if (away) --count;
        return away;
      });
  return other_path_.test(pass, {bit(retransmitted), bit(avoided)});
}

std::uint32_t Source::spray(const Pass& pass, std::uint32_t flow, std::uint32_t qp,
                            std::uint32_t n) {
  const Psn psn = pass.header().psn;
  const std::uint32_t offset = pathmap_->apply(pass, psn.value() % config_.paths,
                                               [](std::uint16_t& delta) { return delta; });
  std::uint32_t path = 0;
  add_path_->run(pass, [&] { path = (flow + offset) % n; });
  if (must_move(pass, qp) && n > 1) {
    const std::uint32_t step = 1 + random_path_.below(pass, n - 1);
    alter_path_.run(pass, [&] { path = (path + step) % n; });
    ++rerouted_;
  }
  return path;
}

// The index is relative to the path of the flow's own header. One that differs in what this switch
// chooses (the lowest bits) is another path wherever the packet goes; the higher bits may be
// without effect, as between pods they choose a core.
void Source::steer(Pass& pass, std::uint32_t qp, std::uint32_t n) {
  std::uint32_t index = pass.header().psn.value() % config_.paths;
  if (must_move(pass, qp) && config_.paths > 1) {
    const std::uint32_t low = n > 1 ? n : config_.paths;
    const std::uint32_t draw = random_path_.below(pass, (low - 1) * (config_.paths / low));
    alter_path_.run(pass, [&] { index ^= 1 + draw % (low - 1) + draw / (low - 1) * low; });
    ++rerouted_;
  }
  steering_->rewrite(pass, index);
}

void Source::take_note(const Pass& pass, std::uint32_t qp) {
  const Packet& p = pass.header();
  recved_nack_psn_.apply(pass, qp, [&](std::uint32_t& nacked) { nacked = p.psn.value(); });
  // The reserved BTH bit of the avoidance signal: the model's ACKs do not use ack_request.
  if (is_signal_.test(pass, bit(p.ack_request))) {
    path_adaptive_count_.apply(pass, path_index(qp, p.psn),
                               [&](std::uint32_t& count) { count = config_.avoidance_window; });
  }
}

}  // namespace horae::programs::themis
