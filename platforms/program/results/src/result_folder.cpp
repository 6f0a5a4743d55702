#include "horae/results/result_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "folder_parts.hpp"
#include "horae/core/error.hpp"

namespace horae::results {
namespace fs = std::filesystem;

namespace {

/// All that a result folder may hold: a folder with anything else holds other work.
constexpr std::array<std::string_view, 21> result_names = {
    "summary.json",    "flows.csv",       "links.csv",     "series.csv",
    "points",          "ledger.json",     "trace.json",    "waves.vcd",
    "ports",           "runs.csv",        "plots",         "packets.csv",
    "registers.csv",   "connections.csv", "points.csv",    "transactions.txlog",
    "waterfall.json",  "waterfall.csv",   "recovery.json", "recovery.csv",
    "transactions.ftr"};

InputError refuse(const std::string& shown, std::string_view why) {
  return InputError(fmt::format("--out {}: {}", shown, why));
}

}  // namespace

ResultFolder::ResultFolder(fs::path target) : shown_(target.string()) {
  if (target.empty()) throw refuse("''", "expected the name of a folder");
  target_ = fs::absolute(target).lexically_normal();
  if (!target_.has_filename()) target_ = target_.parent_path();  // "out/x/"
  std::error_code error;
  if (fs::is_symlink(target_, error)) {
    const fs::path named = fs::read_symlink(target_, error);
    target_ = fs::canonical(target_, error);
    if (error) {
      throw refuse(shown_, fmt::format("is a link to {}: {}", named.string(), error.message()));
    }
  }
  staging_ = beside(target_, "partial");
  const HeldInterrupts held;
  clean_beside(target_);
  check_target();
  prove_target();
}

ResultFolder::~ResultFolder() {
  if (held_ && !committed_) remove_staging();
}

void ResultFolder::check_target() const {
  constexpr std::string_view expected = "expected a new name or a result folder";
  std::error_code error;
  if (!fs::exists(target_, error)) return;
  if (fs::equivalent(target_, fs::current_path(error), error)) {
    throw refuse(shown_, fmt::format("is the current folder; {}", expected));
  }
  bool empty = true, earlier = false;
  std::string stranger;
  if (fs::is_directory(target_, error)) {
    for (const auto& entry : fs::directory_iterator(target_, error)) {
      const std::string name = entry.path().filename().string();
      empty = false;
      earlier = earlier || (name == "summary.json" && entry.is_regular_file(error));
      if (std::find(result_names.begin(), result_names.end(), name) == result_names.end())
        stranger = stranger.empty() ? name : std::min(stranger, name);
    }
    if (empty && !error) return;
  }
  if (!earlier)
    throw refuse(shown_, fmt::format("is there and holds no earlier result; {}", expected));
  if (!stranger.empty()) {
    throw refuse(shown_,
                 fmt::format("holds '{}', which is no part of a result; {}", stranger, expected));
  }
}

void ResultFolder::prove_target() {
  make_staging();
  std::error_code error;
  const fs::path probe = beside(target_, "probe");
  fs::rename(staging_, probe, error);
  if (!error && fs::exists(target_, error)) {
    error = exchange(probe, target_);
    if (!error) error = exchange(probe, target_);
  } else if (!error) {
    fs::rename(probe, target_, error);
    std::error_code ignored;
    fs::remove(target_, ignored);
  }
  const std::string why = error.message();
  std::error_code ignored;
  fs::remove(probe, ignored);
  remove_staging();
  if (error) throw refuse(shown_, fmt::format("cannot be put in place: {}", why));
}

void ResultFolder::make_staging() {
  std::error_code error;
  made_.clear();
  for (fs::path p = staging_.parent_path(); p.has_relative_path() && !fs::exists(p, error);
       p = p.parent_path()) {
    made_.insert(made_.begin(), p);
  }
  fs::create_directories(staging_.parent_path(), error);
  alive_ = std::make_unique<LiveFolder>();
  if (!error) error = alive_->make(staging_);
  if (!error) return;
  const std::string why = error.message();
  remove_staging();
  throw refuse(shown_, fmt::format("cannot be made: {}", why));
}

void ResultFolder::remove_staging() {
  std::error_code error;
  alive_.reset();
  fs::remove_all(staging_, error);
  for (auto p = made_.rbegin(); p != made_.rend(); ++p) fs::remove(*p, error);  // if empty
}

void ResultFolder::begin_writing() {
  if (held_) return;
  held_ = std::make_unique<HeldInterrupts>();
  make_staging();
}

bool ResultFolder::interrupted() const { return held_ && held_->any(); }

fs::path ResultFolder::place(const fs::path& relative) {
  begin_writing();
  std::error_code error;
  fs::create_directories((staging_ / relative).parent_path(), error);
  return staging_ / relative;
}

void ResultFolder::write(const fs::path& relative, const std::string& content) {
  write(relative, [&content](std::ostream& file) { file << content; });
}

void ResultFolder::write(const fs::path& relative,
                         const std::function<void(std::ostream&)>& content) {
  errno = 0;
  std::ofstream file(place(relative), std::ios::binary);
  content(file);
  file.close();
  if (!file) {
    const char* const why = std::strerror(errno != 0 ? errno : EIO);
    throw refuse(shown_, fmt::format("{} cannot be written: {}", relative.string(), why));
  }
}

void ResultFolder::commit() {
  check_target();  // what the run took the time to become
  std::error_code error = sync_tree(staging_);
  const bool replaces = !error && fs::exists(target_, error);
  if (!error && replaces) {
    error = exchange(staging_, target_);
  } else if (!error) {
    fs::rename(staging_, target_, error);
  }
  if (error) throw refuse(shown_, fmt::format("cannot be put in place: {}", error.message()));
  committed_ = true;
  sync(target_.parent_path());
  replaced_ = replaces && !fs::is_empty(staging_, error);
  alive_.reset();
  if (replaces) fs::remove_all(staging_, error);
}

}  // namespace horae::results
