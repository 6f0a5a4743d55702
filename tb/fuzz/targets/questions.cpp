// Files for `horae explain` (first byte: which): observations, hypotheses beside a fixed set of
// observations, and files of tools. What a tool measured is in the conditions that it has.
#include <cmath>
#include <filesystem>
#include <fstream>

#include "../target.hpp"
#include "horae/question/files.hpp"

namespace {

using namespace horae;

constexpr std::string_view observed = R"(title = "t"
source = "s"
[[condition]]
id = "c"
title = "c"
[[observation]]
id = "o"
condition = "c"
quantity = "delivered_rate"
value = 50
unit = "Gbps"
rounding = 0.5
tolerance = 1
tolerance_why = "w"
use = "fit"
source = "s"
)";

/// A folder with names of each kind that lead to one file in memory: readers go by the name.
class Names {
 public:
  explicit Names(const fuzz::MemoryFile& file) {
    std::string pattern = (std::filesystem::temp_directory_path() / "horae_fuzz.XXXXXX").string();
    fuzz::require(::mkdtemp(pattern.data()) != nullptr, "no folder");
    folder_ = pattern;
    for (const char* ending : {".toml", ".txt", ".json", ".csv"})
      std::filesystem::create_symlink(file.path(), of(ending));
    std::ofstream(folder_ / "observed.toml") << observed;
  }
  ~Names() { std::filesystem::remove_all(folder_); }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;
  std::string of(const std::string& ending) const { return (folder_ / ("file" + ending)).string(); }
  std::string observations() const { return (folder_ / "observed.toml").string(); }

 private:
  std::filesystem::path folder_;
};

void require_conditions(const question::ObservationsFile& file) {
  for (const auto& o : file.observations) {
    fuzz::require(file.find_condition(o.condition.value) != nullptr,
                  "a condition that is not there");
    fuzz::require(std::isfinite(o.value) && std::isfinite(o.allowance()) && o.allowance() >= 0,
                  "a value that is none");
  }
}

}  // namespace

bool horae::fuzz::one_input(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return false;
  static fuzz::MemoryFile file;
  static const Names names(file);
  static const auto beside = question::read_observations(names.observations());
  // A file of a file's own choice would be read: an import is not what is looked at here.
  if (text_of(bytes).find("import") != std::string_view::npos) return false;
  file.write(bytes.subspan(1));
  return fuzz::read_or_refuse([&] {
    switch (bytes[0] % 5) {
      case 0:
        return require_conditions(question::read_observations(names.of(".toml")));
      case 1:
        return (void)question::read_hypotheses(names.of(".toml"), beside);
      case 2:
        return require_conditions(question::read_observations(names.of(".txt")));
      case 3:
        return require_conditions(question::read_observations(names.of(".json")));
      default:
        return require_conditions(question::read_observations(names.of(".csv")));
    }
  });
}
