// The folder as a whole: manifest.json, schema 3.0, says what there is.
#include <fmt/format.h>

#include <filesystem>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "parts.hpp"
#include "schema_version.hpp"

namespace horae::p4 {
namespace {

namespace fs = std::filesystem;

std::string without_suffix(std::string name) {
  if (name.ends_with(".p4")) name.resize(name.size() - 3);
  return name;
}

/// The path of a list's entry whose file is called `name`; a path may not leave the folder.
std::optional<std::string> path_of(const Json& files, std::string_view list,
                                   std::string_view name) {
  for (const Json& entry : files.list_at(list)) {
    const Json& path = entry.at("path");
    const fs::path relative(path.text());
    if (relative.filename() != name) continue;
    const fs::path normal = relative.lexically_normal();
    if (normal.is_absolute() || normal.native().starts_with("..")) {
      throw input_error(path.where(),
                        fmt::format("{}: expected a path inside the folder", path.described()));
    }
    return normal.native();
  }
  return std::nullopt;
}

/// Tables that the compiler lists, and the assembler's input, which it does not.
class PipeReader {
 public:
  PipeReader(const std::string& folder, const Json& pipe) : folder_(folder), pipe_(pipe) {}

  void read(CompilerReport& out) const {
    out.pipe = pipe_.at("pipe_name").text();
    const Json& files = pipe_.at("files");
    out.graph = read_table_graph(Json::load(required(files, "graphs", "dep.json")));
    out.usage = read_stage_usage(Json::load(required(files, "resources", "resources.json")));
    if (const auto power = path_of(files, "logs", "power.json"); power && exists(*power))
      out.cycles = read_latency(Json::load(in_folder(*power)));
    const std::string assembler = assembler_file();
    out.tables = read_assembler_file(assembler);
    out.headers = read_header_vector(assembler);
  }

 private:
  std::string in_folder(const std::string& path) const {
    return (fs::path(folder_) / path).native();
  }
  bool exists(const std::string& path) const {
    std::error_code error;
    return fs::is_regular_file(in_folder(path), error);
  }

  std::string required(const Json& files, std::string_view list, std::string_view name) const {
    const auto path = path_of(files, list, name);
    if (!path) {
      throw input_error(
          files.where(),
          fmt::format("lists no {}: compile with -g --create-graphs --verbose", name));
    }
    return in_folder(*path);
  }

  std::string assembler_file() const {
    const std::string folder = in_folder(pipe_.at("pipe_name").text());
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".bfa") found.push_back(entry.path().native());
    }
    if (found.size() != 1) {
      throw InputError(
          fmt::format("{}: {} assembler files (.bfa), expected one", folder, found.size()));
    }
    return found.front();
  }

  std::string folder_;
  const Json& pipe_;
};

}  // namespace

std::array<std::uint32_t, 2> read_latency(const Json& file) {
  check_schema(file, "power", 1, 0);
  std::array<std::uint32_t, 2> out = {0, 0};
  for (const Json& entry : file.list_at("total_latency")) {
    const auto gress = read_gress(entry.at("gress"));
    if (!gress) continue;
    out[static_cast<std::size_t>(*gress)] =
        static_cast<std::uint32_t>(entry.whole_at("latency", 0, 1 << 20));
  }
  return out;
}

std::vector<CompilerReport> read_report_folder(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw InputError(
        fmt::format("{}: no folder; expected the P4 compiler's output folder", folder));
  const std::string path = (fs::path(folder) / "manifest.json").native();
  if (!fs::exists(path, error)) {
    throw InputError(
        fmt::format("{}: no manifest.json; expected the P4 compiler's output folder", folder));
  }
  const Json manifest = Json::load(path);
  check_schema(manifest, "manifest", 3, 0);
  const Json& succeeded = manifest.at("compilation_succeeded");
  if (!succeeded.flag()) throw input_error(succeeded.where(), "the compilation failed");
  std::vector<CompilerReport> out;
  for (const Json& program : manifest.at("programs").list()) {
    for (const Json& pipe : program.at("pipes").list()) {
      CompilerReport report;
      report.folder = folder;
      report.program = without_suffix(program.at("program_name").text());
      report.target = manifest.at("target").text();
      report.compiler = manifest.text_at("compiler_version", "");
      report.succeeded = true;
      PipeReader(folder, pipe).read(report);
      out.push_back(std::move(report));
    }
  }
  if (out.empty()) throw input_error(manifest.at("programs").where(), "no pipe of a program");
  return out;
}

}  // namespace horae::p4
