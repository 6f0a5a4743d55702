// Questions whose runs are made up: the laboratory finds them in its store and simulates nothing.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "horae/lab/laboratory.hpp"

namespace horae::lab::test {

/// A platform of two NICs, one condition `c`, and one hypothesis with a whole number to fit, the
/// window from 16 on.
class MadeUp {
 public:
  /// Results by name of a run with a window and a seed.
  using Run = std::function<std::map<std::string, double>(int window, std::uint32_t seed)>;

  MadeUp(int values, const Run& run) : values_(values) {
    std::string pattern = (std::filesystem::temp_directory_path() / "horae.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::ofstream(folder_ / "p.toml")
        << "[platform]\nname = \"p\"\n[nic]\nkind = \"rnic\"\n"
           "[[device]]\nnames = [\"a\", \"b\"]\nprofile = \"nic\"\n"
           "[[link]]\nbetween = [\"a\", \"b\"]\nrate = \"100 Gbps\"\ndelay = \"1 us\"\n"
           "[[traffic]]\nkind = \"messages\"\nfrom = [\"a\"]\nto = [\"b\"]\n";
    q.platform = question::BasePlatform((folder_ / "p.toml").string(), {});
    q.request.store = (folder_ / "runs").string();
    question::HypothesisSpec h;
    h.id.value = "h";
    question::ParameterSpec window;
    window.key.value = "nic.reliability.window";
    window.low.value = std::to_string(first);
    window.high.value = std::to_string(first + values - 1);
    h.parameters = {window};
    q.hypotheses.hypotheses = {h};
    q.hypotheses.variants = {{{"as it is", {}}, {}, true}};
    add_condition("c", {}, run);
  }
  ~MadeUp() { std::filesystem::remove_all(folder_); }
  MadeUp(const MadeUp&) = delete;
  MadeUp& operator=(const MadeUp&) = delete;

  /// A condition that sets something, and what its runs give.
  void add_condition(const std::string& id, const std::vector<std::string>& set, const Run& run) {
    question::ConditionSpec condition;
    condition.id.value = id;
    for (const auto& item : set) condition.set.push_back({item, {}});
    q.observations.conditions.push_back(condition);
    const RunFolder runs(*q.request.store);
    for (int w = first; w < first + values_; ++w) {
      for (unsigned s = 0; s < q.request.seeds; ++s) {
        RunRecord record;
        record.setting = {set, q.seed + s};
        record.setting.set.push_back("nic.reliability.window=" + std::to_string(w));
        record.key = question::run_key(q.platform.read(record.setting));
        record.verdict = "complete";
        record.results = run(w, record.setting.seed);
        runs.keep(record);
      }
    }
  }
  /// A number of 0 with an allowance of 1: a result is its own miss in tolerances.
  void observe(const std::string& name, question::Use use) {
    question::ObservationSpec o;
    o.id.value = o.quantity.value = name;
    o.condition.value = "c";
    o.rounding.value = 1;
    o.use = use;
    q.observations.observations.push_back(o);
  }

  static constexpr int first = 16;
  question::Question q;

 private:
  int values_;
  std::filesystem::path folder_;
};

}  // namespace horae::lab::test
