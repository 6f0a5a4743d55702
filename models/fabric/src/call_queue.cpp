#include "horae/fabric/call_queue.hpp"

#include "horae/core/error.hpp"
#include "horae/fabric/packet_link.hpp"

namespace horae::fabric {
namespace {

/// Stack of a thread process that calls a module of a user's own, in bytes: SystemC's default is
/// 320 KiB (sc_cor_qt of 2.3.4), of which such a module may want most.
constexpr int call_out_stack = 1 << 20;

Picoseconds now() { return from_sc_time(sc_core::sc_time_stamp()); }

}  // namespace

void call_queue::serve(bool runs_here) {
  (runs_here ? here_ : elsewhere_) = true;
  if (here_ && elsewhere_)
    throw InputError(
        "NICs of several ranks have targets of a user's own as host memory, which they may share: "
        "expected all of them on one rank, or one process");
}

void call_queue::begin() {
  if (begun_) return;
  begun_ = true;
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&next_);
  options.dont_initialize();
  sc_core::sc_spawn([this] { dispatch(); }, "calls", &options);
}

void call_queue::add(Picoseconds at, std::uint32_t device, std::uint64_t serial, caller& who,
                     std::uint32_t number) {
  due_.push({at, device, number, serial, &who});
  plan();
}

bool call_queue::is_due() const { return !due_.empty() && due_.top().at <= now(); }

void call_queue::plan() {
  next_.cancel();
  if (due_.empty()) return;
  const Picoseconds ahead = due_.top().at - now();
  next_.notify(ahead > Picoseconds(0) ? to_sc_time(ahead) : sc_core::SC_ZERO_TIME);
}

void call_queue::dispatch() {
  if (!is_due()) return plan();
  if (!resting_.empty()) {
    Worker& worker = *resting_.back();
    resting_.pop_back();
    return worker.go.notify();
  }
  workers_.push_back(std::make_unique<Worker>());
  Worker& worker = *workers_.back();
  sc_core::sc_spawn_options options;
  options.set_stack_size(call_out_stack);
  sc_core::sc_spawn([this, &worker] { work(worker); }, sc_core::sc_gen_unique_name("call"),
                    &options);
}

void call_queue::work(Worker& worker) {
  for (;;) {
    while (is_due()) {
      const Due due = due_.top();
      due_.pop();
      // Another worker goes on with the next one if this call waits.
      plan();
      due.who->call(due.number);
    }
    plan();
    resting_.push_back(&worker);
    sc_core::wait(worker.go);
  }
}

}  // namespace horae::fabric
