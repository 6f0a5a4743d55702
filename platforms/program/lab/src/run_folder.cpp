// Finished runs as files.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "horae/config/effective.hpp"
#include "horae/core/error.hpp"
#include "horae/lab/runs.hpp"
#include "horae/results/version.hpp"
#include "horae/results/whole_file.hpp"

namespace horae::lab {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

RunFolder::RunFolder(std::string path) : path_(std::move(path)) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error || ::access(path_.c_str(), W_OK | X_OK) != 0)
    throw InputError("--store " + path_ + ": expected a folder that can be written");
  // A run that a killed program had begun may die after the next program wrote the same file; then
  // nobody writes that file again.
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    if (entry.is_directory(error)) results::clean_files(entry.path());
  }
}

std::string RunFolder::file_of(const std::string& key) const {
  // Not a hundred thousand files in one folder.
  return (fs::path(path_) / key.substr(0, 2) / (key + ".json")).string();
}

std::optional<RunRecord> RunFolder::find(const std::string& key) const {
  std::ifstream file(file_of(key));
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  const ordered_json json = ordered_json::parse(text.str(), nullptr, false);
  if (!json.is_object() || !json.contains("record") ||
      json.value("version", "") != results::version() ||
      json.value("digest", "") != config::hash_of(json["record"]))
    return std::nullopt;
  return RunRecord::from_json(json["record"]);
}

void RunFolder::keep(const RunRecord& record) const {
  const ordered_json content = record.to_json();
  const ordered_json json = {
      {"version", results::version()}, {"digest", config::hash_of(content)}, {"record", content}};
  const fs::path file = file_of(record.key);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  // A record that the disk lost has not its digest: it is no record, and its run is made again.
  if (!error) error = results::write_whole_unsynced(file, json.dump() + "\n");
  if (error) throw ModelError("cannot write " + file.string() + ": " + error.message());
}

}  // namespace horae::lab
