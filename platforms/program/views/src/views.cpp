#include "horae/views/views.hpp"

#include <fmt/format.h>

#include "horae/elaboration/simulation.hpp"
#include "horae/views/nack_trace.hpp"
#include "horae/views/trace_json.hpp"
#include "horae/views/transactions.hpp"

namespace horae::views {

Views::Views(const ViewOptions& options, const config::PlatformConfig& platform)
    : options_(options), filter_(options, platform) {
  if (!options.pcap.empty()) captures_ = std::make_unique<PortCaptures>(options, filter_, platform);
}

Views::~Views() = default;

void Views::attach(elaboration::Simulation& simulation) {
  filter_.learn(simulation);
  const bool transactions = options_.transactions || options_.ftr;
  if (options_.trace || transactions) {
    trace_ = std::make_unique<TraceRecorder>(filter_, simulation, options_.most, transactions);
    views_.push_back(trace_.get());
  }
  if (options_.waves) {
    waves_ = std::make_unique<WaveRecorder>(filter_, simulation, options_.most);
    views_.push_back(waves_.get());
  }
  if (options_.waterfall) {
    waterfall_ = std::make_unique<WaterfallRecorder>(filter_, simulation, options_.most);
    views_.push_back(waterfall_.get());
  }
  if (options_.recovery) {
    recovery_ = std::make_unique<RecoveryRecorder>(filter_, simulation, options_.most);
    views_.push_back(recovery_.get());
  }
  if (captures_) {
    captures_->learn(simulation);
    views_.push_back(captures_.get());
  }
  if (views_.empty()) return;
  simulation.context().watcher = this;
  for (auto* chip : simulation.tofinos()) chip->watch_passes(this);
  for (auto* nic : simulation.nics()) nic->watch(this);
}

void Views::finish(Picoseconds end) {
  if (trace_) trace_->finish(end);
  if (waves_) waves_->finish(end);
  if (recovery_) recovery_->finish(end);
}

void Views::add_timeline(const rnic::Timeline& timeline, const std::string& device) {
  if (!options_.trace) return;
  const auto events = trace_events(timeline, device + ": blocks around a NACK",
                                   first_extra_process(trace_->record()), first_extra_thread);
  timeline_.insert(timeline_.end(), events.begin(), events.end());
}

void Views::write(results::ResultFolder& folder) {
  if (options_.trace) {
    folder.write("trace.json",
                 [&](std::ostream& out) { write_trace(trace_->record(), timeline_, out); });
  }
  if (options_.transactions || options_.ftr) {
    const Transactions all = transactions_of(trace_->record());
    if (options_.transactions)
      folder.write("transactions.txlog", [&](std::ostream& out) { write_scv_text(all, out); });
    if (options_.ftr)
      folder.write("transactions.ftr", [&](std::ostream& out) { write_ftr(all, out); });
  }
  if (waves_) folder.write("waves.vcd", [&](std::ostream& out) { waves_->write(out); });
  if (captures_) captures_->write(folder);
  if (waterfall_) {
    folder.write("waterfall.json", waterfall_->to_json().dump(1) + "\n");
    folder.write("waterfall.csv", [&](std::ostream& out) { waterfall_->write_csv(out); });
  }
  if (!recovery_) return;
  folder.write("recovery.json", recovery_->to_json().dump(1) + "\n");
  folder.write("recovery.csv", [&](std::ostream& out) { recovery_->write_csv(out); });
}

std::string Views::text() const {
  std::string out = waterfall_ ? waterfall_->text() : std::string();
  if (recovery_) out += (out.empty() ? "" : "\n") + recovery_->text();
  return out;
}

std::vector<std::string> Views::notes() const {
  std::vector<std::string> lines;
  const auto ends = [&](const char* file, Picoseconds at, const char* of, const char* see) {
    if (at == never) return;
    lines.push_back(fmt::format("{} ends at {} us: it has --trace-most {} {} ({} narrow it)", file,
                                microseconds_text(at), options_.most, of, see));
  };
  if (trace_)
    ends(options_.trace          ? "trace.json"
         : options_.transactions ? "transactions.txlog"
                                 : "transactions.ftr",
         trace_->record().full_at, "events", "--from, --to, --flow, --every");
  if (waves_) ends("waves.vcd", waves_->full_at(), "changes", "--from, --to");
  if (waterfall_) ends("waterfall.csv", waterfall_->full_at(), "messages", "--from, --to, --flow");
  if (recovery_) ends("recovery.csv", recovery_->full_at(), "entries", "--from, --to, --flow");
  if (captures_) ends("ports/*.pcap", captures_->full_at(), "packets", "--from, --to, --flow");
  return lines;
}

void Views::arrived(const fabric::device& d, unsigned port, const Packet& p, Picoseconds at,
                    Picoseconds ready) {
  for (auto* v : views_) v->arrived(d, port, p, at, ready);
}
void Views::queued(const fabric::device& d, unsigned port, unsigned queue, const Packet& p,
                   Picoseconds at) {
  for (auto* v : views_) v->queued(d, port, queue, p, at);
}
void Views::sent(const fabric::device& d, unsigned port, const Packet& p, Picoseconds start,
                 Picoseconds first_bit, Picoseconds last_bit) {
  for (auto* v : views_) v->sent(d, port, p, start, first_bit, last_bit);
}
void Views::dropped(const fabric::device& d, const Packet& p, fabric::DropCause cause,
                    Picoseconds at) {
  for (auto* v : views_) v->dropped(d, p, cause, at);
}
void Views::injected(const fabric::device& d, unsigned port, const Packet& p,
                     fabric::Injection::Action action, Picoseconds at) {
  for (auto* v : views_) v->injected(d, port, p, action, at);
}
void Views::paused(const fabric::device& d, unsigned port, unsigned traffic_class, bool pause,
                   Picoseconds at) {
  for (auto* v : views_) v->paused(d, port, traffic_class, pause, at);
}
void Views::passed(const tofino::tofino_switch& chip, const dataplane::Pass& pass,
                   Picoseconds entered, Picoseconds deparsed) {
  for (auto* v : views_) v->passed(chip, pass, entered, deparsed);
}
void Views::mirrored(const tofino::tofino_switch& chip, const Packet& original, const Packet& copy,
                     Picoseconds at) {
  for (auto* v : views_) v->mirrored(chip, original, copy, at);
}
void Views::looped(const tofino::tofino_switch& chip, unsigned pipeline, const Packet& p,
                   Picoseconds queued, Picoseconds start, Picoseconds last_bit) {
  for (auto* v : views_) v->looped(chip, pipeline, p, queued, start, last_bit);
}
void Views::stepped(const tofino::tofino_switch& chip, Picoseconds at) {
  for (auto* v : views_) v->stepped(chip, at);
}
void Views::posted(const rnic::rnic& nic, std::size_t qp, std::uint64_t first, std::uint64_t count,
                   Picoseconds at) {
  for (auto* v : views_) v->posted(nic, qp, first, count, at);
}
void Views::completed(const rnic::rnic& nic, std::size_t qp, std::uint64_t first,
                      std::uint64_t count, Picoseconds at) {
  for (auto* v : views_) v->completed(nic, qp, first, count, at);
}
void Views::failed(const rnic::rnic& nic, std::size_t qp, std::uint64_t first, std::uint64_t count,
                   Picoseconds at) {
  for (auto* v : views_) v->failed(nic, qp, first, count, at);
}
void Views::wrote(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages, Picoseconds began,
                  Picoseconds at) {
  for (auto* v : views_) v->wrote(nic, qp, messages, began, at);
}
void Views::rang(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages, Picoseconds at) {
  for (auto* v : views_) v->rang(nic, qp, messages, at);
}
void Views::wqes_came(const rnic::rnic& nic, std::size_t qp, std::uint64_t messages,
                      Picoseconds at) {
  for (auto* v : views_) v->wqes_came(nic, qp, messages, at);
}
void Views::payload_read(const rnic::rnic& nic, std::size_t qp, Psn psn, Picoseconds asked,
                         Picoseconds ready) {
  for (auto* v : views_) v->payload_read(nic, qp, psn, asked, ready);
}
void Views::chosen(const rnic::rnic& nic, std::size_t qp, Psn psn, Picoseconds context_ready,
                   Picoseconds at) {
  for (auto* v : views_) v->chosen(nic, qp, psn, context_ready, at);
}
void Views::engine_worked(const rnic::rnic& nic, std::size_t qp, rnic::EngineWork work,
                          const Packet& p, Picoseconds began, Picoseconds done) {
  for (auto* v : views_) v->engine_worked(nic, qp, work, p, began, done);
}
void Views::cqe_written(const rnic::rnic& nic, std::size_t qp, std::uint32_t messages,
                        Picoseconds written, Picoseconds visible, Picoseconds found) {
  for (auto* v : views_) v->cqe_written(nic, qp, messages, written, visible, found);
}
void Views::placed(const rnic::rnic& nic, std::size_t qp, const Packet& p, Picoseconds decided,
                   Picoseconds in_memory) {
  for (auto* v : views_) v->placed(nic, qp, p, decided, in_memory);
}
void Views::nack_decided(const rnic::rnic& nic, std::size_t qp, const Packet& cause, Psn expected,
                         Picoseconds at) {
  for (auto* v : views_) v->nack_decided(nic, qp, cause, expected, at);
}
void Views::nack_served(const rnic::rnic& nic, std::size_t qp, Psn psn, Picoseconds start,
                        Picoseconds end, bool resend) {
  for (auto* v : views_) v->nack_served(nic, qp, psn, start, end, resend);
}
void Views::nack_put_off(const rnic::rnic& nic, std::size_t qp, Psn psn, std::string_view why,
                         Picoseconds at) {
  for (auto* v : views_) v->nack_put_off(nic, qp, psn, why, at);
}
void Views::timed_out(const rnic::rnic& nic, std::size_t qp, Psn oldest, Picoseconds at) {
  for (auto* v : views_) v->timed_out(nic, qp, oldest, at);
}
void Views::stepped(const rnic::rnic& nic, std::optional<std::size_t> qp, Picoseconds at) {
  for (auto* v : views_) v->stepped(nic, qp, at);
}

}  // namespace horae::views
