// Views of a run beside its results.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "horae/results/result_folder.hpp"
#include "horae/rnic/timeline.hpp"
#include "horae/views/port_captures.hpp"
#include "horae/views/recovery.hpp"
#include "horae/views/trace_recorder.hpp"
#include "horae/views/view_filter.hpp"
#include "horae/views/watcher.hpp"
#include "horae/views/waterfall.hpp"
#include "horae/views/wave_recorder.hpp"

namespace horae::views {

/// Watches a run for all the views that were asked for; they change nothing of its results. Files
/// are made when it is over: attach, run, finish, write.
class Views : private Watcher {
 public:
  /// InputError where an option says nothing of this platform.
  Views(const ViewOptions& options, const config::PlatformConfig& platform);
  ~Views() override;

  bool trace() const { return options_.trace; }
  /// Before simulation starts.
  void attach(elaboration::Simulation& simulation);
  /// After it has run up to `end`; the simulation is not used afterwards.
  void finish(Picoseconds end);
  /// A NIC's blocks around a NACK, for the trace.
  void add_timeline(const rnic::Timeline& timeline, const std::string& device);
  void write(results::ResultFolder& folder);
  /// Text that is printed beside the results; empty: none.
  std::string text() const;
  /// Notes on the files for the user, a line each: limits that were reached.
  std::vector<std::string> notes() const;

 private:
  void arrived(const fabric::device& d, unsigned port, const Packet& p, Picoseconds at,
               Picoseconds ready) override;
  void queued(const fabric::device& d, unsigned port, unsigned queue, const Packet& p,
              Picoseconds at) override;
  void sent(const fabric::device& d, unsigned port, const Packet& p, Picoseconds start,
            Picoseconds first_bit, Picoseconds last_bit) override;
  void dropped(const fabric::device& d, const Packet& p, fabric::DropCause cause,
               Picoseconds at) override;
  void injected(const fabric::device& d, unsigned port, const Packet& p,
                fabric::Injection::Action action, Picoseconds at) override;
  void paused(const fabric::device& d, unsigned port, unsigned traffic_class, bool pause,
              Picoseconds at) override;
  void passed(const tofino::tofino_switch& chip, const dataplane::Pass& pass, Picoseconds entered,
              Picoseconds deparsed) override;
  void mirrored(const tofino::tofino_switch& chip, const Packet& original, const Packet& copy,
                Picoseconds at) override;
  void looped(const tofino::tofino_switch& chip, unsigned pipeline, const Packet& p,
              Picoseconds queued, Picoseconds start, Picoseconds last_bit) override;
  void stepped(const tofino::tofino_switch& chip, Picoseconds at) override;
  void posted(const rnic::rnic& nic, std::size_t qp, std::uint64_t first, std::uint64_t count,
              Picoseconds at) override;
  void completed(const rnic::rnic& nic, std::size_t qp, std::uint64_t first, std::uint64_t count,
                 Picoseconds at) override;
  void failed(const rnic::rnic& nic, std::size_t qp, std::uint64_t first, std::uint64_t count,
              Picoseconds at) override;
  void wrote(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages, Picoseconds began,
             Picoseconds at) override;
  void rang(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages, Picoseconds at) override;
  void wqes_came(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages,
                 Picoseconds at) override;
  void payload_read(const rnic::rnic& nic, std::size_t qp, Psn psn, Picoseconds asked,
                    Picoseconds ready) override;
  void chosen(const rnic::rnic& nic, std::size_t qp, Psn psn, Picoseconds context_ready,
              Picoseconds at) override;
  void engine_worked(const rnic::rnic& nic, std::size_t qp, rnic::EngineWork work, const Packet& p,
                     Picoseconds began, Picoseconds done) override;
  void cqe_written(const rnic::rnic& nic, std::size_t qp, std::uint32_t messages,
                   Picoseconds written, Picoseconds visible, Picoseconds found) override;
  void placed(const rnic::rnic& nic, std::size_t qp, const Packet& p, Picoseconds decided,
              Picoseconds in_memory) override;
  void nack_decided(const rnic::rnic& nic, std::size_t qp, const Packet& cause, Psn expected,
                    Picoseconds at) override;
  void nack_served(const rnic::rnic& nic, std::size_t qp, Psn psn, Picoseconds start,
                   Picoseconds end, bool resend) override;
  void nack_put_off(const rnic::rnic& nic, std::size_t qp, Psn psn, std::string_view why,
                    Picoseconds at) override;
  void timed_out(const rnic::rnic& nic, std::size_t qp, Psn oldest, Picoseconds at) override;
  void stepped(const rnic::rnic& nic, std::optional<std::size_t> qp, Picoseconds at) override;

  ViewOptions options_;
  ViewFilter filter_;
  std::unique_ptr<TraceRecorder> trace_;
  std::unique_ptr<WaveRecorder> waves_;
  std::unique_ptr<PortCaptures> captures_;
  std::unique_ptr<WaterfallRecorder> waterfall_;
  std::unique_ptr<RecoveryRecorder> recovery_;
  std::vector<nlohmann::ordered_json> timeline_;
  std::vector<Watcher*> views_;
};

}  // namespace horae::views
