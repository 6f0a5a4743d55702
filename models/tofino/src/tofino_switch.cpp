#include "horae/tofino/tofino_switch.hpp"

#include <fmt/format.h>

#include <exception>

#include "horae/core/error.hpp"
#include "port_layout.hpp"

namespace horae::tofino {

tofino_switch::tofino_switch(sc_core::sc_module_name name, fabric::sim_context& context,
                             const ChipConfig& config, unsigned ports,
                             const programs::ProgramFactory& factory,
                             const programs::Routes& routes, dataplane::Ledgers* ledgers)
    : device(name, context, ports),
      config_(config),
      chip_(dataplane::ChipSpec::find(config.chip)),
      port_count_(ports),
      pipeline_of_port_(pipelines_of_ports(config_, chip_, ports, this->name())),
      loopbacks_(config.loopback, config.pipelines, chip_.recirculation.rate, config.cells),
      traffic_manager_(config, RandomStream(context.seed, std::string(this->name()) + ".red")),
      starts_(ports),
      ghost_period_(factory.ghost_period()),
      ghost_due_(config.pipelines),
      timed_(config.timing && config.timing->enabled()),
      cut_through_(config.timing && config.timing->cut_through),
      parser_(config.timing.value_or(TimingConfig{})),
      last_bit_out_(timed_ ? ports : 0),
      mirror_buffers_(config.mirror ? config.pipelines : 0,
                      MirrorBuffer(config.mirror.value_or(MirrorConfig{}))),
      replication_(config.replication.value_or(Hertz(1'312'500'000))),
      frames_(factory.works_on_bytes() ? std::make_unique<programs::Frames>() : nullptr),
      takes_deflected_(factory.takes_deflected()),
      adds_telemetry_(factory.adds_telemetry()) {
  if (takes_deflected_ && !frames_ && !config.control_class) {
    throw InputError(
        fmt::format("{}: a program that trims needs a control_class, whose packets "
                    "always find room",
                    this->name()));
  }
  for (unsigned i = 0; i < ports; ++i) traffic_manager_.add_port(tx(i));
  programs::Routes known = routes;
  known.pipeline_of_port = pipeline_of_port_;
  known.queues_per_port = config.queues_per_port;
  known.loopback_ports = loopbacks_.per_pipeline();
  dataplane::Ledgers own;
  for (unsigned i = 0; i < config.pipelines; ++i) {
    ChipPipeline pipe(fmt::format("{}.pipe{}", this->name(), i), i, context.seed, factory, known,
                      config_);
    if (i == 0) {  // all pipelines run the same program
      dataplane::Design design = factory.design(pipe.objects());
      design.name = this->name();
      ledger_ = (ledgers != nullptr ? *ledgers : own).of(design, chip_);
      if (!ledger_.refused.empty()) throw dataplane::DoesNotFit(this->name(), ledger_);
      resubmits_ = pipe.objects().resubmits();
    }
    pipe.set_latencies(ledger_);
    if (frames_) pipe.program().work_on(*frames_);
    if (context.checked) pipe.check_always();
    pipes_.push_back(std::move(pipe));
  }
  fill_loopbacks();
  set_receive_latency(config.mac_rx + config.ingress_parser);
  if (cut_through_) arrive_after(*config.timing->cut_through);
}

Picoseconds tofino_switch::ingress_latency(unsigned pipeline) const {
  return config_.mac_rx + config_.ingress_parser + pipes_[pipeline].ingress_time() +
         config_.traffic_manager;
}

Picoseconds tofino_switch::egress_latency(unsigned pipeline) const {
  return pipes_[pipeline].egress_latency();
}

void tofino_switch::connect(const programs::Connection& connection) {
  std::exception_ptr refused;  // a pipeline without room keeps no other from learning of it
  for (auto& pipe : pipes_) {
    try {
      pipe.program().connect(connection);
    } catch (const InputError&) {
      if (!refused) refused = std::current_exception();
    }
  }
  if (refused) std::rethrow_exception(refused);
}

void tofino_switch::disconnect(const programs::Connection& connection, Picoseconds now) {
  for (auto& pipe : pipes_) pipe.program().disconnect(connection, now);
}

void tofino_switch::update(const programs::Routes& routes) {
  programs::Routes known = routes;
  known.pipeline_of_port = pipeline_of_port_;
  for (auto& pipe : pipes_) pipe.program().update(known);
}

tofino_switch::Counters tofino_switch::counters() const {
  const auto& queues = traffic_manager_.counters();
  Counters sum{.forwarded = forwarded_,
               .marked = queues.marked,
               .dropped_program = dropped_program_,
               .dropped_buffer = queues.dropped_buffer - refused_buffer_,
               .dropped_queue = queues.dropped_queue - refused_queue_,
               .dropped_headroom = queues.dropped_headroom,
               .dropped_loopback = loopbacks_.dropped(),
               .deflected = deflected_,
               .mirrored = copies_.made(),
               .replicated = copies_.replicated(),
               .generated = generated_count_,
               .resubmitted = resubmitted_,
               .not_roce = not_roce_,
               .pauses_sent = traffic_manager_.pauses() ? traffic_manager_.pauses()->sent() : 0,
               .holds = queues.holds,
               .releases = queues.releases};
  for (const auto& buffer : mirror_buffers_) sum.dropped_mirror += buffer.dropped();
  for (const auto& pipe : pipes_) {
    sum.ingress_passes += pipe.counters().ingress_passes;
    sum.egress_passes += pipe.counters().egress_passes;
    sum.pipeline_wait += pipe.counters().wait;
  }
  for (std::size_t i = 0; i < loopbacks_.size(); ++i) {
    sum.recirculated += loopbacks_.port(i).counters().packets;
    sum.recirculated_bytes += loopbacks_.port(i).counters().bytes;
  }
  return sum;
}

std::uint64_t tofino_switch::queued() const { return in_pipeline_ + traffic_manager_.packets(); }

std::vector<std::string> tofino_switch::describe_queues() const {
  std::vector<std::string> lines;
  for (unsigned i = 0; i < ports(); ++i) {
    const EgressPort& out = port(i);
    if (out.packets() == 0) continue;
    lines.push_back(fmt::format("{} port {} (pipeline {}): {} packets, {} bytes{}", name(), i,
                                pipeline_of_port_[i], out.packets(), out.depth().count(),
                                out.next_start() == never ? ", paused" : ""));
  }
  if (in_pipeline_ > 0)
    lines.push_back(fmt::format("{}: {} packets in the pipelines", name(), in_pipeline_));
  return lines;
}

}  // namespace horae::tofino
