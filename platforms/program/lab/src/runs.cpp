#include "horae/lab/runs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "horae/core/error.hpp"
#include "horae/run/run.hpp"

namespace horae::lab {
namespace {

using nlohmann::ordered_json;

std::string text_of(const question::Setting& setting) {
  return fmt::format("{}\n{}", setting.seed, fmt::join(setting.set, "\n"));
}

}  // namespace

RunStore::Prepared RunStore::prepare(const RunRequest& request) {
  try {
    Prepared out{{}, platform_.read(request.setting)};
    out.key = question::run_key(out.platform);
    key_of_[text_of(request.setting)] = out.key;
    return out;
  } catch (const InputError& e) {
    throw input_error(request.where, fmt::format("{}: {}", request.title, e.what()));
  }
}

results::Task RunStore::task(const RunRequest& request, const Prepared& prepared) const {
  const std::string title =
      fmt::format("{} with {}", request.title, fmt::join(request.setting.set, ", "));
  return {title, request.where, [this, &request, &prepared]() -> ordered_json {
            const ordered_json summary = run::run_platform(prepared.platform, false).summary;
            RunRecord record;
            record.key = prepared.key;
            record.setting = request.setting;
            record.verdict = summary["verdict"];
            for (const auto& [name, result] : summary["results"].items()) {
              const double value = result["value"];
              if (std::isfinite(value)) record.results[name] = value;
            }
            record.sim_time_ps = summary["sim_time_ps"];
            record.events = summary["events"];
            record.packet_hops = summary["packet_hops"];
            record.packets = summary["packets"];
            if (folder_) folder_->keep(record);
            return record.to_json();
          }};
}

const RunRecord* RunStore::find(const RunRequest& request) const {
  const auto key = key_of_.find(text_of(request.setting));
  if (key == key_of_.end()) return nullptr;
  const auto it = by_key_.find(key->second);
  return it == by_key_.end() ? nullptr : &records_[it->second];
}

const RunRecord& RunStore::run(const RunRequest& request) {
  if (const RunRecord* there = find(request)) return *there;
  const Prepared prepared = prepare(request);
  const auto it = by_key_.find(prepared.key);
  if (it != by_key_.end()) return records_[it->second];
  std::optional<RunRecord> kept = folder_ ? folder_->find(prepared.key) : std::nullopt;
  adopt(kept ? std::move(*kept)
             : RunRecord::from_json(
                   results::in_children({task(request, prepared)}, 1, {}, deadline_)[0]));
  return records_.back();
}

void RunStore::run_all(const std::vector<RunRequest>& requests, unsigned jobs,
                       const std::function<void(std::size_t, std::size_t)>& watch) {
  std::deque<Prepared> prepared;
  std::vector<results::Task> tasks;
  std::vector<std::optional<RunRecord>> kept;  // by new run; none: one of the tasks
  std::unordered_map<std::string, bool> asked;
  for (const auto& request : requests) {
    if (find(request) != nullptr) continue;
    Prepared p = prepare(request);
    if (by_key_.contains(p.key) || !asked.emplace(p.key, true).second) continue;
    kept.push_back(folder_ ? folder_->find(p.key) : std::nullopt);
    if (kept.back()) continue;
    prepared.push_back(std::move(p));
    tasks.push_back(task(request, prepared.back()));
  }
  const auto results = results::in_children(
      tasks, jobs,
      [&](std::size_t done) {
        if (watch) watch(done, tasks.size());
      },
      deadline_);
  // In the order asked for, wherever they come from.
  std::size_t made = 0;
  for (auto& record : kept)
    adopt(record ? std::move(*record) : RunRecord::from_json(results[made++]));
}

void RunStore::adopt(RunRecord record) {
  if (!by_key_.emplace(record.key, records_.size()).second) return;
  totals_.add(record);
  if (wanted_) {
    std::erase_if(record.results, [&](const auto& r) { return !wanted_(r.first); });
    record.packets = nullptr;
  }
  records_.push_back(std::move(record));
}

}  // namespace horae::lab
