// Work in child processes: SystemC elaborates once per process, so every run is a child.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "horae/params/location.hpp"

namespace horae::results {

/// Work of a child process.
struct Task {
  std::string title;  ///< begins every message about it: "point '1/2'"
  Location where;     ///< what asked for it
  std::function<nlohmann::ordered_json()> work;
};

/// A time of the wall that work has to end by; none: it may take as long as it does.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// The deadline passed before the work was done.
struct OutOfTime : std::runtime_error {
  OutOfTime() : std::runtime_error("out of time") {}
};

/// The results of `tasks` in their order, `jobs` (at least 1) children at a time. `watch` is called
/// now and then with the number of those done. What a child throws is thrown here with its task's
/// title: InputError as such (at its place), anything else, and a child that dies, as ModelError;
/// the other children end with it, and all of them with this process. At the deadline children that
/// still run are ended, and OutOfTime is thrown.
std::vector<nlohmann::ordered_json> in_children(
    const std::vector<Task>& tasks, unsigned jobs,
    const std::function<void(std::size_t done)>& watch = {}, const Deadline& deadline = {});

/// A number that this process and its children share.
class SharedCounter {
 public:
  SharedCounter();
  ~SharedCounter();
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;

  std::atomic<std::uint64_t>& value() { return *value_; }

 private:
  std::atomic<std::uint64_t>* value_;
};

}  // namespace horae::results
