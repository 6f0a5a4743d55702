#include "horae/embed/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "horae/config/plugins.hpp"
#include "horae/config/profile.hpp"
#include "horae/config/sweep_config.hpp"
#include "horae/control/scripts.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/p4chip/p4_program.hpp"
#include "horae/params/document.hpp"
#include "horae/programs/plugin.hpp"
#include "horae/results/result_folder.hpp"
#include "horae/run/session.hpp"
#include "horae/run/sweep.hpp"
#include "horae/views/views.hpp"
#include "horae/workload/read_platform.hpp"

namespace horae {
namespace {

/// Programs of rooms above the room of programs.
void add_programs() {
  static const bool once = [] {
    programs::add_program(p4chip::p4_entry({control::run_for_entries, config::load_p4_program}));
    return true;
  }();
  (void)once;
}

config::PlatformConfig read(const std::string& file, const PlatformOptions& options) {
  add_programs();
  auto platform = workload::read_platform(Document::load(file, options.set));
  if (!options.point.empty()) {
    const auto& point = run::find_point(platform, options.point);
    return run::read_point(point, file, options.set);
  }
  if (!platform.sweep.points.empty()) {
    throw InputError(
        fmt::format("{}: a sweep of {} runs; expected one of its points in PlatformOptions::point, "
                    "such as \"{}\"",
                    file, platform.sweep.points.size(), platform.sweep.points.front().label.value));
  }
  return platform;
}

Picoseconds systemc_now() { return fabric::from_sc_time(sc_core::sc_time_stamp()); }

}  // namespace

struct Platform::Parts {
  Parts(const std::string& file, const PlatformOptions& options)
      : config(read(file, options)),
        views(options.views.any() ? std::make_unique<views::Views>(options.views, config)
                                  : nullptr),
        session(config, options.show_progress, nullptr, views.get()),
        keeper("0_keeper", *this) {
    for (const auto& d : config.devices) names.push_back(d.name);
  }

  /// Measures while plain sc_start() moves the simulation.
  class Keeper : public sc_core::sc_module {
   public:
    Keeper(const sc_core::sc_module_name& name, Parts& parts) : sc_module(name), parts_(parts) {
      SC_HAS_PROCESS(Keeper);
      SC_THREAD(go_along);
      set_stack_size(std::size_t{8} << 20);  // results are put together on it
    }

    sc_core::sc_event anew{"anew"};  ///< the user's program moves the simulation from here on
    bool active = false;             ///< it did, and this process has the run since

   private:
    /// Before devices do anything.
    void start_of_simulation() override { parts_.session.run_to(0_ps); }
    void go_along() {
      while (parts_.measuring) wait(anew);
      if (parts_.session.over()) return;
      active = true;
      try {
        parts_.session.go_along();
        parts_.outcome = parts_.session.finish();
      } catch (const sc_core::sc_unwind_exception&) {
        throw;  // this process is being ended
      } catch (...) {
        parts_.session.simulation().context().clock.fail(std::current_exception(), this);
      }
      if (parts_.measuring) sc_core::sc_pause();
    }

    Parts& parts_;
  };

  template <class Kind>
  Kind& find(const std::string& name, const char* what) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      throw InputError(
          fmt::format("the platform has no device '{}'{}", name, suggestion(name, names)));
    const auto i = static_cast<std::size_t>(at - names.begin());
    auto* const found = dynamic_cast<Kind*>(session.simulation().devices()[i].get());
    if (found != nullptr) return *found;
    const auto kind = config.profiles.at(config.devices[i].profile).index();
    throw InputError(
        fmt::format("'{}' is of kind {}; expected {}", name, config::profile_kinds()[kind], what));
  }

  config::PlatformConfig config;
  std::vector<std::string> names;
  std::unique_ptr<views::Views> views;
  run::Session session;
  bool measuring = false;  ///< within run_to()
  std::optional<run::RunOutcome> outcome;
  Keeper keeper;
};

Platform::Platform(const std::string& file, const PlatformOptions& options)
    : parts_(std::make_unique<Parts>(file, options)) {}

Platform::~Platform() = default;

const std::vector<std::string>& Platform::names() const { return parts_->names; }

fabric::device& Platform::device(const std::string& name) {
  return parts_->find<fabric::device>(name, "a device");
}
rnic::rnic& Platform::nic(const std::string& name) {
  return parts_->find<rnic::rnic>(name, "a NIC");
}
tofino::tofino_switch& Platform::chip(const std::string& name) {
  return parts_->find<tofino::tofino_switch>(name, "a Tofino");
}
fabric::output_queued_switch& Platform::plain_switch(const std::string& name) {
  return parts_->find<fabric::output_queued_switch>(name, "a plain switch");
}

rnic::memory_module& Platform::memory(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& memory : parts_->session.simulation().memories()) {
    if (memory->name() == name) return *memory;
    known.emplace_back(memory->name());
  }
  throw InputError(
      fmt::format("the platform has no host memory '{}'{}", name, suggestion(name, known)));
}

fabric::sim_context& Platform::context() { return parts_->session.simulation().context(); }

fabric::run_end Platform::run_to(Picoseconds t) {
  Parts& parts = *parts_;
  struct Measuring {
    explicit Measuring(Parts& p) : parts(p) { parts.measuring = true; }
    ~Measuring() {
      parts.measuring = false;
      parts.keeper.anew.notify(sc_core::SC_ZERO_TIME);
    }
    Parts& parts;
  } measuring(parts);
  // Once sc_start() has moved it, its own process has the run.
  const auto end = !parts.keeper.active   ? parts.session.run_to(t)
                   : parts.session.over() ? fabric::run_end::reached
                                          : context().clock.run_to(t);
  const bool here = end == fabric::run_end::reached || parts.keeper.active;
  return parts.session.over() && here ? fabric::run_end::idle : end;
}

bool Platform::over() const { return parts_->session.over(); }

const run::RunOutcome& Platform::results() {
  Parts& parts = *parts_;
  if (!parts.outcome && !parts.session.over()) {
    throw ModelError(fmt::format("{}: the run is at {} of {}; expected results() after run()",
                                 parts.config.about.name, to_text(parts.session.now()),
                                 to_text(parts.config.sim.duration)));
  }
  if (!parts.outcome) parts.outcome = parts.session.finish();
  return *parts.outcome;
}

void Platform::write(const std::string& folder) {
  const run::RunOutcome& outcome = results();
  results::ResultFolder target(folder);
  run::write_run(target, "", outcome);
  if (parts_->views) parts_->views->write(target);
  target.commit();
}

void Platform::write_views(const std::string& folder) {
  Parts& parts = *parts_;
  if (!parts.views)
    throw InputError(
        fmt::format("{}: no view was asked for; expected one in PlatformOptions::views",
                    parts.config.about.name));
  if (!parts.outcome) parts.views->finish(std::max(parts.session.now(), systemc_now()));
  results::ResultFolder target(folder);
  parts.views->write(target);
  target.commit();
}

}  // namespace horae
