#include "horae/p4chip/p4_program.hpp"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "generators.hpp"
#include "horae/core/error.hpp"
#include "horae/p4prog/chip_ports.hpp"
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/pipe_passes.hpp"
#include "horae/params/schema.hpp"
#include "p4_config.hpp"
#include "port_numbers.hpp"

namespace horae::p4chip {
namespace {

using dataplane::Gress;
using dataplane::Pass;
using p4prog::Departure;
using p4prog::EgressResult;
using p4prog::IngressResult;
using p4prog::MirroredPacket;
using programs::Frame;
using programs::Frames;

constexpr unsigned classes = 8;  // of a port's queues, that packets' classes choose

Frame::Way way_of(const Departure& d) {
  return {static_cast<std::uint16_t>(d.rid), d.first_replica, d.bypass,
          static_cast<std::uint16_t>(d.qid), static_cast<std::uint8_t>(d.cos)};
}

/// As counters and meters count it in egress: what ingress sent, with FCS.
std::uint16_t with_fcs(std::size_t bytes) {
  return static_cast<std::uint16_t>(std::min<std::size_t>(bytes + wire::fcs, 0xffff));
}

/// One pipeline's copy.
class P4Program final : public programs::Program {
 public:
  P4Program(dataplane::Pipeline& pipeline, const programs::Routes& routes,
            std::shared_ptr<const P4Files> files)
      : files_(std::move(files)),
        ports_(routes.pipeline_of_port, files_->tofino2, files_->ports),
        pipe_(pipeline.index()),
        pipes_(pipes_in(routes)),
        queues_(routes.queues_per_port),
        passes_(*files_->program, files_->code(pipe_), pipeline, manager_, files_->tofino2,
                p4prog::cpu_port(files_->tofino2)),
        control_(*files_->program, passes_.machines()),
        generators_(*files_, pipe_, routes.pipeline_of_port, ports_) {
    manager_.generator.tofino2 = files_->tofino2;
    for (const auto& entries : files_->entries) entries.apply(control_, manager_);
    for (std::uint16_t port = 0; port < routes.pipeline_of_port.size(); ++port) {
      if (passes_.has_ghost() && routes.pipeline_of_port[port] == pipe_) watched_.push_back(port);
    }
    depths_.resize(watched_.size() * queues_);
    next_step_ = files_->later.empty() ? never : files_->later.front().at;
    update(routes);
    if (const auto* machine = passes_.machine(Gress::ingress)) {
      for (const auto& call : machine->code().externs) {
        if (call.kind == p4prog::ExternKind::resubmit) pipeline.set_resubmits();
      }
    }
    passes_.watch_unwritten();
    if (files_->random_unwritten) passes_.fill_unwritten(pipeline.seed(), pipeline.name());
    for (const std::string& error : files_->program->errors)
      parser_errors_.push_back({"parser_" + error, "dropped_parser_" + error, 0});
  }

  void work_on(Frames& frames) override { frames_ = &frames; }

  void update(const programs::Routes& routes) override {
    if (files_->routes) files_->routes->write(control_, routes, ports_);
  }

  void ingress(Pass& pass) override {
    if (pass.now() >= next_step_) take_steps(pass.now());
    now_ = pass.now();
    Packet& p = pass.header();
    Frame& f = frames_->of(p);
    if (f.comes_by) p.frame = with_fcs(f.bytes.size());
    IngressResult& result = passes_.ingress(pass, port_of(pass.ingress_port(), f), f.bytes,
                                            pass.resubmitted() ? &f.again : nullptr);
    if (passes_.has_digests()) digests_ += passes_.take_digests().size();
    watch();
    f.around = false;
    f.comes_by.reset();
    f.message.reset();
    if (result.end == IngressResult::End::dropped_by_parser) {
      Reason& reason = parser_errors_.at(result.note.error);
      return drop(pass, f, reason);
    }
    if (result.end == IngressResult::End::resubmitted) {
      f.again = std::move(result.resubmitted);
      return pass.resubmit();
    }
    if (result.copy) mirror(pass, f, *result.copy);
    if (auto& message = result.message)
      f.message = programs::GeneratorMessage{std::move(message->bytes),
                                             static_cast<std::uint16_t>(message->offset),
                                             static_cast<std::uint16_t>(message->length)};
    p.frame = with_fcs(f.bytes.size());
    send(pass, f, result);
  }

  void egress(Pass& pass) override {
    if (pass.now() >= next_step_) take_steps(pass.now());
    now_ = pass.now();
    Packet& p = pass.header();
    Frame& f = frames_->of(p);
    f.around = pass.egress_port() == dataplane::loopback_port;
    const bool is_copy = p.mirror_type != 0;
    if (passes_.has(Gress::egress) && (is_copy || !f.way.bypass)) {
      p.frame = with_fcs(f.bytes.size());
      const Departure d = departure_of(p, f, pass.egress_port());
      EgressResult& result = passes_.egress(pass, d, f.bytes);
      watch();
      if (result.copy) mirror(pass, f, *result.copy);
      if (result.told_to_drop) drop(pass, f, reasons_[egress_drop]);
    }
    p.deflected = false;
    p.frame = programs::frame_on_wire(f.bytes.size());
  }

  std::vector<programs::PacketGenerator> generators() const override { return generators_.list(); }
  bool triggers(std::size_t which, const programs::GeneratorMessage& message) const override {
    return manager_.generator.matches(generators_.app(which), message.bytes);
  }
  void generate(std::size_t which, const dataplane::GeneratedHeader& header,
                const programs::GeneratorMessage& message, Picoseconds now, Frame& f) override {
    if (generators_.is_cpu(which)) {
      f.bytes.assign(files_->cpu_frames.at(std::size_t{header.batch} << 16 | header.packet));
      f.comes_by = static_cast<std::uint16_t>(p4prog::cpu_port(files_->tofino2));
      return;
    }
    if (now >= next_step_) take_steps(now);
    const p4prog::GeneratorApp& app = generators_.app(which);
    p4prog::GeneratorEvent event{
        .bytes = message.bytes, .offset = message.offset, .length = message.length};
    if (app.trigger == p4prog::GeneratorApp::Trigger::port_down)
      event.port = number(header.trigger);
    const auto bytes =
        manager_.generator.packet(header.app, app, pipe_, header.batch, header.packet, event);
    f.bytes.assign(bytes);
    f.comes_by = static_cast<std::uint16_t>(manager_.generator.port(app, pipe_, header.packet));
  }

  std::span<const std::uint16_t> watched_ports() const override { return watched_; }
  bool ghost_by_queue() const override { return true; }
  /// A pass for each queue whose depth is another than at the last time.
  void ghost(std::span<const std::uint32_t> cells, Picoseconds now) override {
    if (now >= next_step_) take_steps(now);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (std::exchange(depths_[i], cells[i]) == cells[i]) continue;
      // Own rule: sixteen numbers for each lane, which are the chip's 128 of eight lanes.
      const unsigned lane = number(watched_[i / queues_]) & 0x7f;
      Packet packet;
      const Pass pass(packet, {pipe_, Gress::ingress}, next_ghost_++, 0, now);
      passes_.ghost(pass, lane * 16 + static_cast<unsigned>(i % queues_), cells[i]);
    }
  }

  Bytes parsed(const Packet& packet, Gress gress, unsigned port, Picoseconds now) override {
    Packet p = packet;
    const Frame& f = frames_->of(packet);
    const Pass pass(p, {pipe_, gress}, ~std::uint64_t{1}, p.ingress_port, now);
    if (gress == Gress::ingress)
      return Bytes(passes_.parsed_bytes(pass, port_of(port, f), f.bytes,
                                        f.again.empty() ? nullptr : &f.again));
    if (!passes_.has(gress) || (packet.mirror_type == 0 && f.way.bypass)) return {};
    return Bytes(passes_.parsed_bytes(pass, departure_of(packet, f, port), f.bytes));
  }

  std::span<const std::uint16_t> replicas(unsigned group) const override { return groups_[group]; }

  std::vector<std::pair<std::string_view, std::uint64_t>> counters() const override {
    std::vector<std::pair<std::string_view, std::uint64_t>> out;
    for (const Reason& r : parser_errors_) {
      if (r.count > 0) out.emplace_back(r.counter, r.count);
    }
    for (const Reason& r : reasons_) out.emplace_back(r.counter, r.count);
    out.emplace_back("lost_copies", lost_copies_);
    if (digests_ > 0) out.emplace_back("digests", digests_);
    return out;
  }

  void report(nlohmann::ordered_json& out) const override {
    if (!files_->stages_from.empty()) out["stages_from"] = files_->stages_from;
    if (!warnings_.empty()) out["warnings"] = warnings_;
    for (const p4prog::Machine* machine : passes_.machines()) {
      const auto& objects = machine->objects();
      for (const auto& table : objects.tables()) {
        if (!table.idle) continue;
        out["idle_timeouts"][table.code->source->name] = {
            {"notifications", table.idle->notifications(now_)}, {"idle", table.idle->idle(now_)}};
      }
      for (const auto& [index, r] : objects.registers()) report_register(out, name_of(index), r);
      for (const auto& [index, c] : objects.counters()) report_counter(out, name_of(index), *c);
    }
  }

 private:
  /// Why packets are dropped: as rows of packets say it, as results count it.
  struct Reason {
    std::string name, counter;
    std::uint64_t count = 0;
  };
  enum Why : std::size_t { told, no_entry, no_copy, port, egress_drop, whys };

  /// Tables show in passes alone, so it is enough that each pass finds what was done before it.
  void take_steps(Picoseconds now) {
    for (; steps_done_ < files_->later.size() && files_->later[steps_done_].at <= now;
         ++steps_done_)
      files_->later[steps_done_].entries.apply(control_, manager_, files_->later[steps_done_].at);
    next_step_ = steps_done_ < files_->later.size() ? files_->later[steps_done_].at : never;
  }

  static unsigned pipes_in(const programs::Routes& routes) {
    unsigned most = 0;
    for (const unsigned pipe : routes.pipeline_of_port) most = std::max(most, pipe);
    return most + 1;
  }

  unsigned port_of(unsigned ingress_port, const Frame& f) const {
    if (f.comes_by) return *f.comes_by;
    return f.around ? ports_.recirculation(pipe_) : number(ingress_port);
  }

  /// Number of a port of the platform.
  unsigned number(unsigned port) const { return ports_.number_of(port); }

  Departure departure_of(const Packet& p, const Frame& f, unsigned port) const {
    Departure d;
    d.port = port == dataplane::loopback_port ? ports_.recirculation(pipe_) : number(port);
    if (p.mirror_type == 0) {
      d.rid = f.way.rid;
      d.first_replica = f.way.first_replica;
      d.qid = f.way.qid;
      d.cos = f.way.cos;
    }
    d.deflected = p.deflected;
    d.queued = f.queued;
    d.cells_before = f.cells_before;
    d.cells_behind = f.cells_behind;
    return d;
  }

  /// Reads of what nobody wrote are looked for in the first passes only: watching costs time.
  void watch() {
    if (watched_passes_ == 0) return;
    for (std::string& line : passes_.take_warnings()) warnings_.push_back(std::move(line));
    if (--watched_passes_ == 0) passes_.stop_watching();
  }

  void drop(Pass& pass, Frame& f, Reason& reason) {
    ++reason.count;
    f.dropped_for = reason.name;
    pass.drop();
  }

  /// The port of the platform, or the loopback port of a pipe.
  std::optional<std::uint16_t> way_to(unsigned number) const {
    if (const auto found = ports_.port_of(number)) return static_cast<std::uint16_t>(*found);
    const auto around = ports_.pipe_of_recirculation(number);
    if (around && *around < pipes_) return programs::loopback_of(*around);
    return std::nullopt;
  }

  /// Requests of ingress to the traffic manager, as the chip's requests.
  void send(Pass& pass, Frame& f, const IngressResult& result) {
    f.ways.clear();
    to_.clear();
    for (const Departure& d : result.departures) {
      const auto to = way_to(d.port);
      if (!to) continue;
      to_.push_back(*to);
      f.ways.push_back(way_of(d));
    }
    if (to_.empty()) return drop(pass, f, reasons_[why(result)]);
    lost_copies_ += result.departures.size() - to_.size();
    f.way = f.ways.front();
    f.deflects = result.departures.front().deflects;
    choose_class(pass, f.way.qid);
    if (to_.size() == 1 && !programs::is_loopback(to_[0])) return pass.forward(to_[0]);
    if (to_.size() == 1 && to_[0] == programs::loopback_of(pipe_)) {
      if (!f.way.bypass) return pass.recirculate_through_egress();
      f.around = true;
      return pass.recirculate();
    }
    pass.multicast(group_of(to_));
  }

  static Why why(const IngressResult& result) {
    if (result.told_to_drop) return result.note.dropped_by_miss ? no_entry : told;
    if (!result.departures.empty()) return port;
    return result.note.missed ? no_entry : no_copy;
  }

  void choose_class(Pass& pass, unsigned qid) {
    if (qid < classes) {
      pass.header().traffic_class = static_cast<std::uint8_t>(qid);
      return;
    }
    if (qid >= queues_)
      throw ModelError(fmt::format("qid {} of ports that have {} queues, after {}", qid, queues_,
                                   pass.describe()));
    pass.enqueue_in(qid);
  }

  /// The number of a group with these ports: of an earlier packet, or a new one.
  unsigned group_of(const std::vector<std::uint16_t>& to) {
    const auto [found, made] = group_numbers_.emplace(to, groups_.size());
    if (made) groups_.push_back(to);
    return static_cast<unsigned>(found->second);
  }

  void mirror(Pass& pass, Frame& f, MirroredPacket& copy) {
    const auto to = way_to(copy.session.port);
    const bool around = to && *to == programs::loopback_of(pipe_);
    if (!to || (programs::is_loopback(*to) && !around)) {
      ++lost_copies_;
      return;
    }
    f.copy = std::move(copy.bytes);
    pass.mirror({.egress_port = around ? dataplane::loopback_port : unsigned{*to}, .type = 1});
  }

  const std::string& name_of(std::uint32_t object) const {
    return files_->program->externs.at(object).name;
  }

  // Cells that are not zero, by index; of many the first.
  static constexpr std::size_t most_cells = 1000;
  static void report_register(nlohmann::ordered_json& out, const std::string& name,
                              const p4prog::RegisterObject& r) {
    nlohmann::ordered_json cells = nlohmann::ordered_json::object();
    std::size_t more = 0;
    for (std::uint64_t i = 0; i < r.entries; ++i) {
      const p4prog::Cell cell = r.cells->read(i);
      if (cell.low == 0 && cell.high == 0) continue;
      if (cells.size() == most_cells) {
        ++more;
        continue;
      }
      auto& to = cells[std::to_string(i)];
      if (r.pair || r.wide)
        to = {cell.low, cell.high};
      else
        to = cell.low;
    }
    if (!cells.empty()) put(out, "registers", name, std::move(cells), more);
  }
  static void report_counter(nlohmann::ordered_json& out, const std::string& name,
                             const dataplane::Counter& c) {
    nlohmann::ordered_json cells = nlohmann::ordered_json::object();
    std::size_t more = 0;
    for (std::size_t i = 0; i < c.entries(); ++i) {
      if (c.packets(i) == 0 && c.bytes(i) == 0) continue;
      if (cells.size() == most_cells)
        ++more;
      else
        cells[std::to_string(i)] = {{"packets", c.packets(i)}, {"bytes", c.bytes(i)}};
    }
    if (!cells.empty()) put(out, "counters", name, std::move(cells), more);
  }
  static void put(nlohmann::ordered_json& out, const char* kind, const std::string& name,
                  nlohmann::ordered_json cells, std::size_t more) {
    nlohmann::ordered_json object = {{"cells", std::move(cells)}};
    if (more > 0) object["cells_left_out"] = more;
    out[kind][name] = std::move(object);
  }

  std::shared_ptr<const P4Files> files_;
  PortNumbers ports_;
  unsigned pipe_;
  unsigned pipes_;
  unsigned queues_;
  p4prog::ManagerTables manager_;
  p4prog::PipePasses passes_;
  p4prog::ControlPlane control_;
  Generators generators_;
  std::vector<std::uint16_t> watched_;  ///< ports whose queues the ghost thread is told of
  std::vector<std::uint32_t> depths_;   ///< of these, queue by queue, as it was told
  std::uint64_t next_ghost_ = std::uint64_t{1} << 63;  ///< serials that no packet's pass has
  std::size_t steps_done_ = 0;
  Picoseconds next_step_;
  Picoseconds now_{};  ///< of the last pass
  Frames* frames_ = nullptr;
  std::vector<std::uint16_t> to_;
  std::deque<std::vector<std::uint16_t>> groups_;  ///< by number
  std::map<std::vector<std::uint16_t>, std::size_t> group_numbers_;
  std::vector<Reason> parser_errors_;  ///< by ordinal
  std::array<Reason, whys> reasons_ = {{{"drop_ctl", "dropped_drop_ctl"},
                                        {"no_entry", "dropped_no_entry"},
                                        {"no_copy", "dropped_no_copy"},
                                        {"port", "dropped_port"},
                                        {"egress_drop_ctl", "dropped_egress_drop_ctl"}}};
  std::uint64_t lost_copies_ = 0;
  std::uint64_t digests_ = 0;
  unsigned watched_passes_ = 1000;
  std::vector<std::string> warnings_;
};

class P4Factory final : public programs::ProgramFactory {
 public:
  P4Factory(P4Config config, const P4Host& host)
      : config_(std::move(config)), files_(read_files(config_, host)) {}

  std::unique_ptr<programs::Program> make(dataplane::Pipeline& pipeline,
                                          const programs::Routes& routes) const override {
    return std::make_unique<P4Program>(pipeline, routes, files_);
  }
  dataplane::Design design(const dataplane::Pipeline& pipeline) const override {
    const auto& priced = files_->designs;
    return priced.empty() ? pipeline.design()
                          : priced[std::min<std::size_t>(pipeline.index(), priced.size() - 1)];
  }
  bool knows_connections() const override { return false; }
  bool works_on_bytes() const override { return true; }
  bool takes_deflected() const override { return files_->deflects; }
  Picoseconds ghost_period() const override {
    return files_->has_ghost ? config_.ghost_period.value_or(100_ns) : Picoseconds{};
  }
  std::string_view chip() const override { return config_.tofino1 ? "tofino1" : "tofino2"; }
  nlohmann::ordered_json config() const override {
    nlohmann::ordered_json out = {{"name", "p4"}};
    out.update(P4Config::schema().dump(config_));
    return out;
  }

 private:
  P4Config config_;
  std::shared_ptr<const P4Files> files_;
};

/// A registry's entry is a plain function, so its host is kept here.
P4Host& p4_host() {
  static P4Host host;
  return host;
}

}  // namespace

programs::ProgramEntry p4_entry(const P4Host& host) {
  p4_host() = host;
  return {.name = "p4",
          .doc = "a P4 program from its source",
          .read = [](const Section& section) -> std::unique_ptr<programs::ProgramFactory> {
            return std::make_unique<P4Factory>(section.read<P4Config>({"name"}), p4_host());
          },
          .describe = [] { return P4Config::schema().describe(); }};
}

}  // namespace horae::p4chip
