#include "horae/cli/effective_config.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "horae/config/effective.hpp"
#include "horae/config/platform.hpp"
#include "horae/config/sweep_config.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/design/design_file.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/question/files.hpp"
#include "horae/ranks/partition.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/results/version.hpp"
#include "horae/run/run.hpp"
#include "horae/run/sweep.hpp"
#include "horae/workload/read_platform.hpp"

namespace horae::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::string file_hash(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw InputError(fmt::format("{}: cannot be read", path.string()));
  return config::hash_of(ordered_json(
      ordered_json::binary(std::vector<std::uint8_t>(content.begin(), content.end()))));
}

/// Every text of `value` that names a file, from the folder of the file it is in (or, for an
/// override, from the working directory). A text that does so by chance does no harm but that its
/// content counts.
void add_files(const ordered_json& value, const fs::path& folder, ordered_json& files) {
  if (value.is_structured()) {
    for (const auto& item : value) add_files(item, folder, files);
    return;
  }
  if (!value.is_string()) return;
  const auto& text = value.get_ref<const std::string&>();
  if (text.empty() || text.find('\0') != std::string::npos) return;
  std::error_code error;
  for (const fs::path& path : {folder / text, fs::path(text)}) {
    if (!fs::is_regular_file(path, error)) continue;
    auto& hash = files[text];
    const std::string found = file_hash(path);
    // With two hashes, both count.
    hash = hash.is_null() || hash == found ? found : hash.get<std::string>() + " " + found;
  }
}

ordered_json size_config(const config::PlatformConfig& platform) {
  ordered_json config = platform.effective;
  config.erase("sweep");
  config["size"] = config::SizeConfig::schema().dump(platform.size);
  return config;
}

std::string explain_file(const ConfigRequest& request, const std::optional<std::string>& given,
                         const std::optional<Located<std::string>>& of_platform, const char* flag) {
  if (given) return *given;
  if (of_platform) return (fs::path(request.file).parent_path() / of_platform->value).string();
  throw InputError(fmt::format("{0}: no {1}: expected [explain] {1} = \"FILE\", or --{1} FILE",
                               request.file, flag));
}

const config::SweepPoint& point_of(const config::PlatformConfig& platform,
                                   const std::string& label) {
  std::vector<std::string> labels;
  for (const auto& point : platform.sweep.points) {
    if (point.label.value == label) return point;
    labels.push_back(point.label);
  }
  throw InputError(fmt::format(
      "--point {}: no such sweep point{}", label,
      labels.empty() ? std::string("; the platform has no sweep") : suggestion(label, labels)));
}

config::PlatformConfig platform_at(const ConfigRequest& request, const Document& document) {
  config::PlatformConfig platform = workload::read_platform(document);
  if (!request.point) return platform;
  return run::read_point(point_of(platform, *request.point), request.file, request.overrides);
}

ordered_json partition_of(const config::PlatformConfig& platform, unsigned ranks) {
  ranks::check_ranks(platform, ranks);
  const ranks::Partition parts = ranks::partition(platform, ranks);
  ordered_json out = {{"period_ps", nullptr}, {"cut_links", parts.cut_links}};
  if (parts.cut_links > 0) out["period_ps"] = parts.period.count();
  for (unsigned rank = 0; rank < ranks; ++rank) {
    ordered_json devices = ordered_json::array();
    for (std::size_t i = 0; i < parts.owners.size(); ++i) {
      if (parts.owners[i] == rank) devices.push_back(platform.devices[i].name);
    }
    out["ranks"].push_back({{"share", parts.shares[rank]}, {"devices", std::move(devices)}});
  }
  return out;
}

void check(const ConfigRequest& request) {
  const auto only = [&](bool given, const char* flag, ConfigKind kind, const char* name) {
    if (given && request.kind != kind)
      throw InputError(fmt::format("{}: expected with --kind {} only", flag, name));
  };
  only(request.objects, "--objects", ConfigKind::size, "size");
  only(request.chip.has_value(), "--chip", ConfigKind::size, "size");
  only(request.point.has_value(), "--point", ConfigKind::run, "run");
  only(request.ranks != 0, "--ranks", ConfigKind::run, "run");
  only(request.observations.has_value(), "--observations", ConfigKind::explain, "explain");
  only(request.hypotheses.has_value(), "--hypotheses", ConfigKind::explain, "explain");
}

}  // namespace

config::PlatformConfig platform_of(const ConfigRequest& request) {
  check(request);
  return platform_at(request, Document::load(request.file, request.overrides));
}

EffectiveConfig effective_config(const ConfigRequest& request) {
  check(request);
  EffectiveConfig out;
  out.files = ordered_json::object();
  const Document document = Document::load(request.file, request.overrides);
  if (request.objects) {
    dataplane::read_design_file(document);
    out.config = document.root().to_json();
  } else {
    const config::PlatformConfig platform = platform_at(request, document);
    out.config = request.kind == ConfigKind::size ? size_config(platform) : platform.effective;
    if (request.kind == ConfigKind::run && (request.point || platform.sweep.points.empty()))
      out.config.erase("sweep");  // as in the summary of one run
    if (request.ranks != 0) out.partition = partition_of(platform, request.ranks);
    if (request.kind == ConfigKind::explain) {
      out.config.erase("sweep");
      const auto observations = explain_file(request, request.observations,
                                             platform.explain.observations, "observations");
      const auto hypotheses =
          explain_file(request, request.hypotheses, platform.explain.hypotheses, "hypotheses");
      const auto read = question::read_observations(observations);
      question::read_hypotheses(hypotheses, read);
      out.files["observations"] = file_hash(observations);
      for (const auto& i : read.imports) {
        out.files["observations: " + i.file.value] =
            file_hash((fs::path(observations).parent_path() / i.file.value).string());
      }
      out.files["hypotheses"] = file_hash(hypotheses);
    }
  }
  if (request.chip) {
    dataplane::ChipSpec::find({*request.chip, {}});
    out.config["chip override"] = *request.chip;
  }
  add_files(out.config, fs::path(request.file).parent_path(), out.files);
  out.hash = config::hash_of(
      out.files.empty() ? out.config : ordered_json{{"config", out.config}, {"files", out.files}});
  return out;
}

}  // namespace horae::cli
