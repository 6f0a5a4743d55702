#include "horae/tofino/tofino_switch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "horae/core/error.hpp"

namespace horae::tofino {
namespace {

using dataplane::Gress;
using dataplane::Pass;
using dataplane::Verdict;

enum : std::uint8_t {
  queue_event = fabric::device_events,  // entity: port and queue; payload: whether to hold it
  enqueue_event,                        // entity: egress port; payload: the packet
  enqueue_own_event,                    // entity: port and queue; payload: the packet
  dequeue_event,                        // entity: port
  loopback_event,                       // entity: whose loopback port; payload: the packet
  loopback_egress_event,                // likewise, for one that passes the loopback port's egress
  loopback_leaves_event,                // likewise, when it leaves that port's queue
  recirculated_event,                   // entity: pipeline; payload: the packet, at the parser
};

/// A port and one of its queues in an event's 16 bits.
constexpr unsigned port_bits = 9;
constexpr std::uint16_t pack(unsigned port, unsigned queue) {
  return static_cast<std::uint16_t>(queue << port_bits | port);
}
constexpr unsigned port_in(std::uint16_t entity) { return entity & ((1u << port_bits) - 1); }
constexpr unsigned queue_in(std::uint16_t entity) { return entity >> port_bits; }

void check_queues(const dataplane::ChipSpec& chip, const ChipConfig& config,
                  const std::vector<unsigned>& pipeline_of_port, const std::string& name) {
  if (config.queues_per_port == fabric::OutputPort::classes) return;
  if (pipeline_of_port.size() > 1u << port_bits) {
    throw InputError(
        fmt::format("{}: queues of programs on more than {} ports", name, 1u << port_bits));
  }
  for (unsigned i = 0; i < config.pipelines; ++i) {
    const auto ports = std::count(pipeline_of_port.begin(), pipeline_of_port.end(), i);
    const std::int64_t queues = ports * std::int64_t{config.queues_per_port};
    if (queues <= chip.traffic_manager.queues_per_pipeline) continue;
    throw InputError(
        fmt::format("{}: {} ports of pipeline {} with {} queues each are more than "
                    "the {} that {} has for a pipeline",
                    name, ports, i, config.queues_per_port,
                    chip.traffic_manager.queues_per_pipeline, chip.name));
  }
}

}  // namespace

tofino_switch::tofino_switch(sc_core::sc_module_name name, fabric::sim_context& context,
                             const ChipConfig& config, unsigned ports,
                             const programs::ProgramFactory& factory,
                             const programs::Routes& routes)
    : device(name, context, ports),
      config_(config),
      chip_(dataplane::ChipSpec::find(config.chip)),
      clock_(config.mau_clock),
      red_({.kmin = config.ecn_kmin, .kmax = config.ecn_kmax, .pmax = config.ecn_pmax},
           RandomStream(context.seed, std::string(this->name()) + ".red")),
      armed_(ports, never) {
  const unsigned most = config.pipeline_of_port.empty()
                            ? config.pipelines * config.ports_per_pipeline
                            : static_cast<unsigned>(config.pipeline_of_port.size());
  if (ports > most) {
    throw InputError(
        fmt::format("{}: {} ports in use, but the chip is given {}", this->name(), ports, most));
  }
  for (unsigned i = 0; i < ports; ++i) {
    const unsigned pipeline = config.pipeline_of_port.empty() ? i / config.ports_per_pipeline
                                                              : config.pipeline_of_port[i];
    if (pipeline >= config.pipelines) {
      throw InputError(fmt::format("{}: port {} is put on pipeline {}, but there are {}",
                                   this->name(), i, pipeline, config.pipelines));
    }
    pipeline_of_port_.push_back(pipeline);
    out_.emplace_back(tx(i), config.queues_per_port);
  }
  check_queues(chip_, config_, pipeline_of_port_, this->name());
  programs::Routes known = routes;
  known.pipeline_of_port = pipeline_of_port_;
  known.queues_per_port = config.queues_per_port;
  for (unsigned i = 0; i < config.pipelines; ++i) {
    Pipe pipe;
    pipe.objects = std::make_unique<dataplane::Pipeline>(fmt::format("{}.pipe{}", this->name(), i),
                                                         i, context.seed);
    pipe.program = factory.make(*pipe.objects, known);
    if (i == 0) {  // all pipelines run the same program
      dataplane::Design design = pipe.objects->design();
      design.name = this->name();
      ledger_ = make_ledger(design, chip_, place(design, chip_));
      if (!ledger_.refused.empty()) throw dataplane::DoesNotFit(this->name(), ledger_);
    }
    pipe.ingress_cycles = ledger_.latency[static_cast<std::size_t>(Gress::ingress)];
    pipe.egress_latency = config.egress_parser +
                          clock_.edge(ledger_.latency[static_cast<std::size_t>(Gress::egress)]) +
                          config.egress_deparser + config.mac_tx;
    pipes_.push_back(std::move(pipe));
  }
  set_receive_latency(config.mac_rx + config.ingress_parser);
}

tofino_switch::~tofino_switch() = default;

Picoseconds tofino_switch::ingress_latency(unsigned pipeline) const {
  return config_.mac_rx + config_.ingress_parser + clock_.edge(pipes_[pipeline].ingress_cycles) +
         config_.ingress_deparser + config_.traffic_manager;
}

Picoseconds tofino_switch::egress_latency(unsigned pipeline) const {
  return pipes_[pipeline].egress_latency;
}

void tofino_switch::connect(const programs::Connection& connection) {
  std::exception_ptr refused;  // a pipeline without room keeps no other from learning of it
  for (auto& pipe : pipes_) {
    try {
      pipe.program->connect(connection);
    } catch (const InputError&) {
      if (!refused) refused = std::current_exception();
    }
  }
  if (refused) std::rethrow_exception(refused);
}

void tofino_switch::update(const programs::Routes& routes) {
  programs::Routes known = routes;
  known.pipeline_of_port = pipeline_of_port_;
  for (auto& pipe : pipes_) pipe.program->update(known);
}

template <bool own, bool watched>
void tofino_switch::enqueue(Packet& p, unsigned port, unsigned queue, Picoseconds t) {
  EgressPort& out = out_[port];
  const std::int64_t cells = cells_of(p);
  if (cells_used_ + cells > config_.cells) {
    ++counters_.dropped_buffer;
    return drop(p, fabric::DropCause::buffer_full, t);
  }
  if (config_.queue_limit.count() > 0 &&
      out.depth().count() + p.frame > config_.queue_limit.count()) {
    ++counters_.dropped_queue;
    return drop(p, fabric::DropCause::queue_full, t);
  }
  if (red_.mark(p, own ? out.depth_of_queue(queue) : out.depth(p.traffic_class)))
    ++counters_.marked;
  cells_used_ += cells;
  most_cells_used_ = std::max(most_cells_used_, cells_used_);
  if constexpr (watched) watcher()->queued(*this, port, own ? queue : p.traffic_class, p, t);
  if constexpr (own) {
    out.enqueue_in(queue, p, t);
  } else {
    out.enqueue(p, t);
  }
  arm(port);
}

/// Runs the program's egress; whether the packet goes on.
template <bool watched>
inline bool tofino_switch::pass_egress(Packet& p, unsigned port, unsigned pipeline,
                                       Picoseconds start) {
  Pipe& pipe = pipes_[pipeline];
  ++counters_.egress_passes;
  Pass pass(p, {pipeline, Gress::egress}, passes_++, p.ingress_port, start);
  pass.leaves_by(port);
  if (p.mirror_type != 0) {
    const auto header = mirror_headers_.extract(&p);
    if (!header.empty()) pass.set_mirror_header(header.mapped());
  }
  pipe.program->egress(pass);
  const Picoseconds deparsed = start + pipe.egress_latency - config_.mac_tx;
  if constexpr (watched) {
    if (pass_watcher_ != nullptr) pass_watcher_->passed(*this, pass, start, deparsed);
  }
  if (pass.mirror_request()) mirror(pass, deparsed);
  if (pass.queue_request().action != dataplane::QueueRequest::none) request_queue(pass, deparsed);
  return pass.verdict() != Verdict::drop;
}

template <bool watched>
void tofino_switch::enter_ingress(Packet& p, unsigned pipeline, Picoseconds t) {
  Pipe& pipe = pipes_[pipeline];
  const Cycles entry = std::max(clock_.at_or_after(t), pipe.last_entry + Cycles(1));
  pipe.last_entry = entry;
  const Picoseconds entered = clock_.edge(entry);
  counters_.pipeline_wait += entered - t;
  ++counters_.ingress_passes;
  Pass pass(p, {pipeline, Gress::ingress}, passes_++, p.ingress_port, entered);
  pipe.program->ingress(pass);
  const Picoseconds deparsed = clock_.edge(entry + pipe.ingress_cycles) + config_.ingress_deparser;
  if constexpr (watched) {
    if (pass_watcher_ != nullptr) pass_watcher_->passed(*this, pass, entered, deparsed);
  }
  if (pass.mirror_request()) mirror(pass, deparsed);
  if (pass.queue_request().action != dataplane::QueueRequest::none) request_queue(pass, deparsed);
  if (pass.verdict() == Verdict::drop) return drop(p, fabric::DropCause::program, deparsed);
  if (pass.verdict() == Verdict::recirculate) {
    if (pass.loopback_pipeline() >= pipes_.size()) {
      throw ModelError(fmt::format("{}: no pipeline {} to come around in after {}", name(),
                                   pass.loopback_pipeline(), pass.describe()));
    }
    ++in_pipeline_;
    schedule(deparsed + config_.traffic_manager,
             pass.through_egress() ? loopback_egress_event : loopback_event,
             static_cast<std::uint16_t>(pass.loopback_pipeline()), ordinal_++,
             reinterpret_cast<std::uint64_t>(&p));
    return;
  }
  if (pass.verdict() == Verdict::undecided || pass.egress_port() >= ports()) {
    throw ModelError(fmt::format("{}: no valid egress port after {}", name(), pass.describe()));
  }
  ++in_pipeline_;
  if (pass.queue() != 0) [[unlikely]] {
    check_queue(pass, pass.egress_port(), pass.queue());
    schedule(deparsed + config_.traffic_manager, enqueue_own_event,
             pack(pass.egress_port(), pass.queue()), ordinal_++,
             reinterpret_cast<std::uint64_t>(&p));
    return;
  }
  schedule(deparsed + config_.traffic_manager, enqueue_event,
           static_cast<std::uint16_t>(pass.egress_port()), ordinal_++,
           reinterpret_cast<std::uint64_t>(&p));
}

/// Refuses queues that are not the program's.
void tofino_switch::check_queue(const Pass& pass, unsigned port, unsigned queue) const {
  if (port < ports() && queue >= EgressPort::classes && queue < config_.queues_per_port) return;
  throw ModelError(fmt::format("{}: no queue {} for programs at port {} after {}", name(), queue,
                               port, pass.describe()));
}

void tofino_switch::request_queue(const Pass& pass, Picoseconds deparsed) {
  const auto& request = pass.queue_request();
  check_queue(pass, request.port, request.queue);
  const bool hold = request.action == dataplane::QueueRequest::hold;
  schedule(deparsed + config_.traffic_manager, queue_event, pack(request.port, request.queue),
           ordinal_++, hold ? 1 : 0);
}

void tofino_switch::control_queue(std::uint16_t port_and_queue, bool hold, Picoseconds t) {
  const unsigned port = port_in(port_and_queue);
  const unsigned queue = queue_in(port_and_queue);
  if (hold) {
    ++counters_.holds;
    return out_[port].hold(queue);
  }
  ++counters_.releases;
  out_[port].release(queue, t);
  arm(port);
}

void tofino_switch::mirror(const Pass& pass, Picoseconds deparsed) {
  const auto& request = *pass.mirror_request();
  const bool around =
      request.egress_port == dataplane::loopback_port && pass.where().gress == Gress::ingress;
  if ((request.egress_port >= ports() && !around) || request.type == 0) {
    throw ModelError(
        fmt::format("{}: no valid mirror port or type after {}", name(), pass.describe()));
  }
  // No node has this number, so that ids stay unique in a chip; copies of two chips may share one.
  constexpr std::uint64_t copy_node = 0xffffffu;
  Packet& copy = context_.pool.create();
  copy = pass.header();
  copy.created = deparsed;
  copy.id = copy_node << 40 | copies_++;
  copy.mirror_type = request.type;
  copy.metadata = request.metadata;
  if (request.length != 0) copy.frame = std::min(copy.frame, request.length);
  if (request.traffic_class) copy.traffic_class = *request.traffic_class;
  mirror_headers_[&copy] = request.header;
  if (watcher() != nullptr && pass_watcher_ != nullptr)
    pass_watcher_->mirrored(*this, pass.header(), copy, deparsed);
  ++counters_.mirrored;
  ++in_pipeline_;
  const unsigned entity = around ? pass.where().pipeline : request.egress_port;
  schedule(deparsed + config_.traffic_manager, around ? loopback_egress_event : enqueue_event,
           static_cast<std::uint16_t>(entity), ordinal_++, reinterpret_cast<std::uint64_t>(&copy));
}

/// Puts a packet into the queue of a pipeline's loopback port; when it leaves that, or never if
/// there is no room for it.
Picoseconds tofino_switch::take_loopback(const Packet& p, unsigned pipeline, Picoseconds t) {
  const std::int64_t cells = cells_of(p);
  if (cells_used_ + cells > config_.cells) return never;
  cells_used_ += cells;
  most_cells_used_ = std::max(most_cells_used_, cells_used_);
  Pipe& pipe = pipes_[pipeline];
  const Bytes wire = p.wire_size();
  const Picoseconds start = std::max(pipe.loopback_free, t);
  pipe.loopback_free = start + serialisation_time(wire, chip_.recirculation.rate);
  ++counters_.recirculated;
  counters_.recirculated_bytes += wire.count();
  return start;
}

void tofino_switch::loop_back(Packet& p, unsigned pipeline, Picoseconds t) {
  if (take_loopback(p, pipeline, t) == never) return drop_buffer_full(p, t);
  if (watcher() != nullptr && pass_watcher_ != nullptr)
    notify_looped(p, pipeline, t, pipes_[pipeline].loopback_free);
  schedule(pipes_[pipeline].loopback_free + config_.ingress_parser, recirculated_event,
           static_cast<std::uint16_t>(pipeline), ordinal_++, reinterpret_cast<std::uint64_t>(&p));
}

void tofino_switch::notify_looped(const Packet& p, unsigned pipeline, Picoseconds queued,
                                  Picoseconds last_bit) const {
  const Picoseconds start = last_bit - serialisation_time(p.wire_size(), chip_.recirculation.rate);
  pass_watcher_->looped(*this, pipeline, p, queued, start, last_bit);
}

void tofino_switch::loop_through_egress(Packet& p, unsigned pipeline, Picoseconds t) {
  const Picoseconds start = take_loopback(p, pipeline, t);
  if (start == never) return drop_buffer_full(p, t);
  schedule(start, loopback_leaves_event, static_cast<std::uint16_t>(pipeline), ordinal_++,
           reinterpret_cast<std::uint64_t>(&p));
}

void tofino_switch::drop_buffer_full(Packet& p, Picoseconds t) {
  --in_pipeline_;
  ++counters_.dropped_buffer;
  drop(p, fabric::DropCause::buffer_full, t);
}

/// The egress pass of a packet that goes around; then it is on the loopback port's wire.
template <bool watched>
void tofino_switch::pass_loop_egress(Packet& p, unsigned pipeline, Picoseconds t) {
  cells_used_ -= cells_of(p);
  if (!pass_egress<watched>(p, dataplane::loopback_port, pipeline, t)) {
    --in_pipeline_;
    return drop(p, fabric::DropCause::program, t);
  }
  cells_used_ += cells_of(p);  // egress may have changed its length
  p.mirror_type = 0;
  const Picoseconds on_wire = t + pipes_[pipeline].egress_latency - config_.mac_tx;
  if constexpr (watched) {
    if (pass_watcher_ != nullptr)
      notify_looped(p, pipeline, on_wire,
                    on_wire + serialisation_time(p.wire_size(), chip_.recirculation.rate));
  }
  schedule(on_wire + serialisation_time(p.wire_size(), chip_.recirculation.rate) +
               config_.ingress_parser,
           recirculated_event, static_cast<std::uint16_t>(pipeline), ordinal_++,
           reinterpret_cast<std::uint64_t>(&p));
}

template <bool watched>
void tofino_switch::leave_queue(unsigned port, Picoseconds t) {
  const unsigned pipeline = pipeline_of_port_[port];
  Pipe& pipe = pipes_[pipeline];
  out_[port].start_before(t + 1_ps, [&](Packet& p, Picoseconds start) {
    cells_used_ -= cells_of(p);
    if (!pass_egress<watched>(p, port, pipeline, start))
      return drop(p, fabric::DropCause::program, start);
    ++counters_.forwarded;
    p.mirror_type = 0;
    p.metadata = 0;
    out_[port].tx().send(p, start, pipe.egress_latency);
  });
}

void tofino_switch::drop(Packet& p, fabric::DropCause cause, Picoseconds t) {
  if (watcher() != nullptr) watcher()->dropped(*this, p, cause, t);
  if (p.mirror_type != 0) mirror_headers_.erase(&p);
  if (cause == fabric::DropCause::program) ++counters_.dropped_program;
  context_.pool.drop(p, cause);
}

void tofino_switch::arm(unsigned port) {
  const Picoseconds start = out_[port].next_start();
  if (start >= armed_[port]) return;
  armed_[port] = start;
  schedule(start, dequeue_event, static_cast<std::uint16_t>(port), ordinal_++);
}

template <bool watched>
void tofino_switch::handle_as(const fabric::Event& e) {
  if constexpr (watched) notify_arrival(e);
  const unsigned port = fabric::key_entity(e.key);
  switch (fabric::key_kind(e.key)) {
    case fabric::arrival_event: {
      Packet& p = arrived(e);
      enter_ingress<watched>(p, pipeline_of_port_[p.ingress_port], e.time);
      break;
    }
    case enqueue_event:
      --in_pipeline_;
      enqueue<false, watched>(*reinterpret_cast<Packet*>(e.payload), port, 0, e.time);
      break;
    case enqueue_own_event: {
      const auto entity = static_cast<std::uint16_t>(port);
      --in_pipeline_;
      enqueue<true, watched>(*reinterpret_cast<Packet*>(e.payload), port_in(entity),
                             queue_in(entity), e.time);
      break;
    }
    case queue_event:
      control_queue(static_cast<std::uint16_t>(port), e.payload != 0, e.time);
      break;
    case loopback_event:
      loop_back(*reinterpret_cast<Packet*>(e.payload), port, e.time);
      break;
    case loopback_egress_event:
      loop_through_egress(*reinterpret_cast<Packet*>(e.payload), port, e.time);
      break;
    case loopback_leaves_event:
      pass_loop_egress<watched>(*reinterpret_cast<Packet*>(e.payload), port, e.time);
      break;
    case recirculated_event: {
      Packet& p = *reinterpret_cast<Packet*>(e.payload);
      --in_pipeline_;
      cells_used_ -= cells_of(p);
      enter_ingress<watched>(p, port, e.time);
      break;
    }
    case dequeue_event:
      if (armed_[port] != e.time) break;  // overtaken by an earlier one
      armed_[port] = never;
      leave_queue<watched>(port, e.time);
      arm(port);
      break;
    case fabric::pause_event:
      out_[port].pause(static_cast<unsigned>(e.payload));
      break;
    case fabric::resume_event:
      out_[port].resume(static_cast<unsigned>(e.payload), e.time);
      arm(port);
      break;
    default:
      throw ModelError(fmt::format("{}: unknown event", name()));
  }
  if constexpr (watched) {
    if (pass_watcher_ != nullptr) pass_watcher_->stepped(*this, e.time);
  }
}

template void tofino_switch::handle_as<false>(const fabric::Event& e);
template void tofino_switch::handle_as<true>(const fabric::Event& e);

std::uint64_t tofino_switch::queued() const {
  std::uint64_t n = in_pipeline_;
  for (const auto& out : out_) n += out.packets();
  return n;
}

std::vector<std::string> tofino_switch::describe_queues() const {
  std::vector<std::string> lines;
  for (unsigned i = 0; i < out_.size(); ++i) {
    if (out_[i].packets() == 0) continue;
    lines.push_back(fmt::format("{} port {} (pipeline {}): {} packets, {} bytes{}", name(), i,
                                pipeline_of_port_[i], out_[i].packets(), out_[i].depth().count(),
                                out_[i].next_start() == never ? ", paused" : ""));
  }
  if (in_pipeline_ > 0)
    lines.push_back(fmt::format("{}: {} packets in the pipelines", name(), in_pipeline_));
  return lines;
}

}  // namespace horae::tofino
