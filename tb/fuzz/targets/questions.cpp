// What `horae explain` reads (first byte: which): observations, hypotheses, and files of tools that
// measured. What is accepted keeps the promises of its headers.
#include <cmath>
#include <filesystem>

#include "../target.hpp"
#include "horae/question/files.hpp"

namespace {

using namespace horae;
namespace fs = std::filesystem;

/// One file in memory under names with the extensions that say what it is.
class NamedFiles {
 public:
  NamedFiles() {
    std::string name = (fs::temp_directory_path() / "horae_fuzz.XXXXXX").string();
    fuzz::require(::mkdtemp(name.data()) != nullptr, "no folder");
    folder_ = name;
    for (const char* extension : {"toml", "csv", "json", "txt"})
      fs::create_symlink(file_.path(), path(extension));
  }
  ~NamedFiles() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  NamedFiles(const NamedFiles&) = delete;
  NamedFiles& operator=(const NamedFiles&) = delete;
  std::string path(std::string_view extension) const {
    return fmt::format("{}/f.{}", folder_, extension);
  }
  void write(std::span<const std::uint8_t> bytes) { file_.write(bytes); }

 private:
  fuzz::MemoryFile file_;
  std::string folder_;
};

void require_whole(const question::ObservationsFile& file) {
  fuzz::require(!file.observations.empty(), "no observation");
  for (const auto& o : file.observations) {
    fuzz::require(file.find_condition(o.condition) != nullptr, "a condition that is not there");
    fuzz::require(o.allowance() > 0 && std::isfinite(o.allowance()), "an allowance of nothing");
    fuzz::require(std::isfinite(o.value), "an observation that is no number");
  }
}

void require_whole(const question::HypothesesFile& file) {
  fuzz::require(!file.hypotheses.empty() && !file.variants.empty(), "nothing to test");
  for (const auto& h : file.hypotheses) {
    for (const auto& p : h.parameters) {
      fuzz::require(
          p.choice() ? p.values.size() >= 2 : !p.low.value.empty() && !p.high.value.empty(),
          "a parameter that cannot move");
    }
  }
}

/// The one condition that hypotheses of inputs are asked in.
const question::ObservationsFile& observed() {
  static const question::ObservationsFile file = [] {
    question::ObservationsFile f;
    question::ConditionSpec condition;
    condition.id.value = "nocc.all";  // as the corpus says
    f.conditions.push_back(condition);
    return f;
  }();
  return file;
}

}  // namespace

bool horae::fuzz::one_input(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return false;
  static NamedFiles file;
  file.write(bytes.subspan(1));
  return read_or_refuse([&] {
    switch (bytes[0] % 5) {
      case 0:
        return require_whole(question::read_observations(file.path("toml")));
      case 1:
        return require_whole(question::read_hypotheses(file.path("toml"), observed()));
      case 2:
        return require_whole(question::read_measured(file.path("csv"), {}));
      case 3:
        return require_whole(question::read_measured(file.path("json"), {}));
      default:
        return require_whole(question::read_measured(file.path("txt"), {}));
    }
  });
}
