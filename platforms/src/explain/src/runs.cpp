#include "horae/explain/runs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "horae/config/effective.hpp"
#include "horae/core/error.hpp"
#include "horae/flows/read_platform.hpp"
#include "horae/params/document.hpp"
#include "horae/run/run.hpp"

namespace horae::explain {

using nlohmann::ordered_json;

namespace {
std::string text_of(const Setting& setting) {
  return fmt::format("{}\n{}", setting.seed, fmt::join(setting.set, "\n"));
}
}  // namespace

Setting Setting::with(const std::vector<std::string>& more) const {
  Setting out = *this;
  out.set.insert(out.set.end(), more.begin(), more.end());
  return out;
}

double RunRecord::value(const std::string& metric) const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (verdict == "stuck") return none;
  const auto it = results.find(metric);
  return it == results.end() ? none : it->second;
}

ordered_json RunRecord::to_json() const {
  return {{"key", key},         {"set", setting.set},         {"seed", setting.seed},
          {"verdict", verdict}, {"results", results},         {"sim_time_ps", sim_time_ps},
          {"events", events},   {"packet_hops", packet_hops}, {"packets", packets}};
}

RunRecord RunRecord::from_json(const ordered_json& json) {
  RunRecord r;
  r.key = json.at("key");
  r.setting = {json.at("set").get<std::vector<std::string>>(),
               json.at("seed").get<std::uint32_t>()};
  r.verdict = json.at("verdict");
  for (const auto& [name, value] : json.at("results").items()) {
    if (value.is_number()) r.results[name] = value.get<double>();
  }
  r.sim_time_ps = json.at("sim_time_ps");
  r.events = json.at("events");
  r.packet_hops = json.at("packet_hops");
  r.packets = json.at("packets");
  return r;
}

config::PlatformConfig RunStore::read(const Setting& setting) const {
  auto all = overrides_;
  all.insert(all.end(), setting.set.begin(), setting.set.end());
  all.push_back(fmt::format("sim.seed={}", setting.seed));
  return flows::read_platform(Document::load(platform_, all));
}

RunStore::Prepared RunStore::prepare(const RunRequest& request) {
  try {
    Prepared out{{}, read(request.setting)};
    // What a run does not depend on: other runs, and words.
    ordered_json config = out.platform.effective;
    config.erase("sweep");
    config.erase("platform");
    out.key = config::hash_of(config);
    key_of_[text_of(request.setting)] = out.key;
    return out;
  } catch (const InputError& e) {
    throw input_error(request.where, fmt::format("{}: {}", request.title, e.what()));
  }
}

results::Task RunStore::task(const RunRequest& request, const Prepared& prepared) {
  const std::string title =
      fmt::format("{} with {}", request.title, fmt::join(request.setting.set, ", "));
  return {title, request.where, [&request, &prepared]() -> ordered_json {
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
  adopt(RunRecord::from_json(results::in_children({task(request, prepared)}, 1)[0]));
  return records_.back();
}

void RunStore::run_all(const std::vector<RunRequest>& requests, unsigned jobs,
                       const std::function<void(std::size_t, std::size_t)>& watch) {
  std::deque<Prepared> prepared;
  std::vector<results::Task> tasks;
  std::unordered_map<std::string, bool> asked;
  for (const auto& request : requests) {
    if (find(request) != nullptr) continue;
    Prepared p = prepare(request);
    if (by_key_.contains(p.key) || !asked.emplace(p.key, true).second) continue;
    prepared.push_back(std::move(p));
    tasks.push_back(task(request, prepared.back()));
  }
  const auto results = results::in_children(tasks, jobs, [&](std::size_t done) {
    if (watch) watch(done, tasks.size());
  });
  for (const auto& result : results) adopt(RunRecord::from_json(result));
}

void RunStore::adopt(RunRecord record) {
  if (!by_key_.emplace(record.key, records_.size()).second) return;
  records_.push_back(std::move(record));
}

std::string runs_csv(const RunStore& store) {
  std::map<std::string, bool> names;
  for (const auto& r : store.records()) {
    for (const auto& [name, value] : r.results) names[name] = true;
  }
  std::string csv = "run,seed,verdict,overrides";
  for (const auto& [name, there] : names) csv += "," + name;
  csv += "\n";
  std::size_t n = 0;
  for (const auto& r : store.records()) {
    std::string set;
    for (const auto& s : r.setting.set) set += (set.empty() ? "" : "; ") + s;
    for (std::size_t at = 0; (at = set.find('"', at)) != std::string::npos; at += 2)
      set.insert(at, 1, '"');
    csv += fmt::format("{},{},{},\"{}\"", n++, r.setting.seed, r.verdict, set);
    for (const auto& [name, there] : names) {
      const auto it = r.results.find(name);
      csv += it == r.results.end() ? "," : fmt::format(",{}", it->second);
    }
    csv += "\n";
  }
  return csv;
}

}  // namespace horae::explain
