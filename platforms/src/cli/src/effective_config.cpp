#include "horae/cli/effective_config.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>
#include <ostream>

#include "horae/config/effective.hpp"
#include "horae/config/platform.hpp"
#include "horae/config/sweep_config.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/design_file.hpp"
#include "horae/flows/read_platform.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/question/files.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/results/version.hpp"
#include "horae/run/run.hpp"
#include "horae/run/sweep.hpp"

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
    // Of two, both count.
    hash = hash.is_null() || hash == found ? found : hash.get<std::string>() + " " + found;
  }
}

ordered_json size_config(const config::PlatformConfig& platform) {
  ordered_json config = platform.effective;
  config.erase("sweep");
  config["size"] = config::SizeConfig::schema().dump(platform.size);
  return config;
}

std::string beside(const ConfigRequest& request, const std::optional<std::string>& given,
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

void check(const ConfigRequest& request) {
  const auto only = [&](bool given, const char* flag, ConfigKind kind, const char* name) {
    if (given && request.kind != kind)
      throw InputError(fmt::format("{}: expected with --kind {} only", flag, name));
  };
  only(request.objects, "--objects", ConfigKind::size, "size");
  only(request.chip.has_value(), "--chip", ConfigKind::size, "size");
  only(request.point.has_value(), "--point", ConfigKind::run, "run");
  only(request.observations.has_value(), "--observations", ConfigKind::explain, "explain");
  only(request.hypotheses.has_value(), "--hypotheses", ConfigKind::explain, "explain");
}

std::string_view name_of(ConfigKind kind) {
  switch (kind) {
    case ConfigKind::run:
      return "run";
    case ConfigKind::size:
      return "size";
    case ConfigKind::explain:
      break;
  }
  return "explain";
}

void add_lines(const std::string& key, const ordered_json& value, std::string& out) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [name, item] : value.items())
      add_lines(key.empty() ? name : key + "." + name, item, out);
  } else if (value.is_array() && !value.empty() && value.front().is_structured()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      add_lines(fmt::format("{}[{}]", key, i), value[i], out);
  } else {
    out += fmt::format("{} = {}\n", key, value.dump());
  }
}

/// The overrides of a line of points.
std::vector<std::string> overrides_of(const std::string& line, const Location& where) {
  const auto object = ordered_json::parse(line, nullptr, false);
  if (object.is_discarded() || !object.is_object()) {
    throw input_error(where, fmt::format("found '{}', expected a JSON object of overrides, such as "
                                         "{{\"nic.mtu\": \"4 KiB\"}}",
                                         line.substr(0, 40)));
  }
  std::vector<std::string> out;
  for (const auto& [key, value] : object.items()) {
    if (value.is_null() || value.is_object()) {
      throw input_error(where, fmt::format("\"{}\": found {}, expected a text, a number, true or "
                                           "false, or a list of those",
                                           key, value.is_null() ? "null" : "an object"));
    }
    out.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return out;
}

}  // namespace

EffectiveConfig effective_config(const ConfigRequest& request) {
  check(request);
  EffectiveConfig out;
  out.files = ordered_json::object();
  const Document document = Document::load(request.file, request.overrides);
  if (request.objects) {
    dataplane::read_design_file(document);
    out.config = document.root().to_json();
  } else {
    config::PlatformConfig platform = flows::read_platform(document);
    if (request.point)
      platform =
          run::read_point(point_of(platform, *request.point), request.file, request.overrides);
    out.config = request.kind == ConfigKind::size ? size_config(platform) : platform.effective;
    if (request.kind == ConfigKind::run && (request.point || platform.sweep.points.empty()))
      out.config.erase("sweep");  // as in the summary of one run
    if (request.kind == ConfigKind::explain) {
      out.config.erase("sweep");
      const auto observations =
          beside(request, request.observations, platform.explain.observations, "observations");
      const auto hypotheses =
          beside(request, request.hypotheses, platform.explain.hypotheses, "hypotheses");
      question::read_hypotheses(hypotheses, question::read_observations(observations));
      out.files["observations"] = file_hash(observations);
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

ordered_json config_json(const ConfigRequest& request, const EffectiveConfig& effective) {
  return {{"schema", 1},
          {"file", request.file},
          {"kind", name_of(request.kind)},
          {"version", results::version()},
          {"config_hash", effective.hash},
          {"files", effective.files},
          {"config", effective.config}};
}

std::string config_text(const ConfigRequest& request, const EffectiveConfig& effective) {
  std::string out =
      fmt::format("# horae {} {}\n# version {}\n# config_hash {}\n", name_of(request.kind),
                  request.file, results::version(), effective.hash);
  for (const auto& [name, hash] : effective.files.items())
    out += fmt::format("# {} {}\n", name, hash.get<std::string>());
  add_lines("", effective.config, out);
  return out;
}

void config_points(const ConfigRequest& request, std::istream& in, const std::string& name,
                   std::ostream& out) {
  std::string line;
  Location where;
  where.file = name;
  while (std::getline(in, line)) {
    ++where.line;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    where.column = 1;
    ConfigRequest point = request;
    const auto more = overrides_of(line, where);
    point.overrides.insert(point.overrides.end(), more.begin(), more.end());
    ordered_json answer;
    try {
      answer["config_hash"] = effective_config(point).hash;
    } catch (const InputError& e) {
      answer = {{"error", e.what()}, {"exit", static_cast<int>(results::exit_bad_input)}};
    }
    out << answer.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
  }
  if (in.bad()) throw InputError(fmt::format("{}: cannot be read", name));
}

}  // namespace horae::cli
