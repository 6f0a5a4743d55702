#include "sweep.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>

#include "horae/core/error.hpp"
#include "measurement.hpp"
#include "progress.hpp"
#include "version.hpp"

namespace horae::platforms {
namespace {

using nlohmann::ordered_json;

/// A run in a child process; its outcome comes through a pipe as one JSON text.
class ChildRun {
 public:
  ChildRun(std::size_t index, const PlatformConfig& platform) : index_(index) {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) throw ModelError("no pipe for a child process");
    pid_ = ::fork();
    if (pid_ < 0) throw ModelError("no child process");
    if (pid_ == 0) {
      ::close(fds[0]);
      run(platform, fds[1]);  // does not return
    }
    ::close(fds[1]);
    fd_ = fds[0];
  }
  ~ChildRun() {
    if (fd_ >= 0) ::close(fd_);
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  ChildRun(const ChildRun&) = delete;
  ChildRun& operator=(const ChildRun&) = delete;

  int fd() const { return fd_; }
  std::size_t index() const { return index_; }

  /// Reads what is there; true when the child is done.
  bool read_some() {
    char buffer[65536];
    const ssize_t n = ::read(fd_, buffer, sizeof buffer);
    if (n > 0) {
      text_.append(buffer, static_cast<std::size_t>(n));
      return false;
    }
    return n == 0 || errno != EINTR;
  }

  /// The outcome of a child that is done; throws what the child threw.
  RunOutcome outcome(const std::string& label) {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    if (text_.empty()) {
      throw ModelError(fmt::format("point '{}': the run ended with {} {} and no result", label,
                                   WIFSIGNALED(status) ? "signal" : "status",
                                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)));
    }
    const ordered_json message = ordered_json::parse(text_);
    if (message.contains("bad_input"))
      throw InputError(
          fmt::format("point '{}': {}", label, message["bad_input"].get<std::string>()));
    if (message.contains("error"))
      throw ModelError(fmt::format("point '{}': {}", label, message["error"].get<std::string>()));
    RunOutcome out;
    out.summary = message["summary"];
    out.flows_csv = message["flows"].get<std::string>();
    out.series_csv = message["series"].get<std::string>();
    out.dump = message["dump"].get<std::vector<std::string>>();
    out.exit_code = message["exit_code"].get<int>();
    return out;
  }

 private:
  [[noreturn]] static void run(const PlatformConfig& platform, int fd) {
    ordered_json message;
    try {
      const RunOutcome outcome = run_platform(platform, false);
      message = {{"summary", outcome.summary},
                 {"flows", outcome.flows_csv},
                 {"series", outcome.series_csv},
                 {"dump", outcome.dump},
                 {"exit_code", outcome.exit_code}};
    } catch (const InputError& e) {
      message = {{"bad_input", e.what()}};
    } catch (const std::exception& e) {
      message = {{"error", e.what()}};
    }
    const std::string text = message.dump();
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t n = ::write(fd, text.data() + sent, text.size() - sent);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    // No destructors: SystemC's globals belong to the parent's copy as well.
    ::_exit(0);
  }

  std::size_t index_;
  pid_t pid_ = -1;
  int fd_ = -1;
  std::string text_;
};

std::vector<RunOutcome> run_all(const std::vector<PlatformConfig>& points, const SweepConfig& sweep,
                                unsigned jobs, bool show_progress) {
  Progress progress(show_progress);
  std::vector<RunOutcome> outcomes(points.size());
  std::deque<std::unique_ptr<ChildRun>> running;
  std::size_t next = 0, done = 0;
  while (done < points.size()) {
    while (next < points.size() && running.size() < jobs) {
      running.push_back(std::make_unique<ChildRun>(next, points[next]));
      ++next;
    }
    std::vector<pollfd> fds;
    for (const auto& child : running) fds.push_back({child->fd(), POLLIN, 0});
    ::poll(fds.data(), fds.size(), 250);
    for (std::size_t i = running.size(); i-- > 0;) {
      if ((fds[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0 || !running[i]->read_some())
        continue;
      const std::size_t index = running[i]->index();
      outcomes[index] = running[i]->outcome(sweep.points[index].label);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      ++done;
    }
    progress.update(static_cast<double>(done) / static_cast<double>(points.size()),
                    fmt::format("{} of {} runs done", done, points.size()));
  }
  return outcomes;
}

const SweepPoint* find_point(const SweepConfig& sweep, const std::string& label) {
  for (const auto& p : sweep.points) {
    if (p.label == label) return &p;
  }
  return nullptr;
}

}  // namespace

SweepOutcome run_sweep(const PlatformConfig& platform, const std::string& path,
                       const std::vector<std::string>& overrides, unsigned jobs,
                       bool show_progress) {
  const SweepConfig& sweep = platform.sweep;
  std::vector<PlatformConfig> points;
  for (const auto& point : sweep.points) {
    auto all = overrides;
    all.insert(all.end(), point.set.begin(), point.set.end());
    points.push_back(read_platform(Document::load(path, all)));
  }
  const Progress wall(false);
  auto outcomes = run_all(points, sweep, jobs, show_progress);

  SweepOutcome out;
  ordered_json rows = ordered_json::array();
  ordered_json packets = {
      {"created", 0}, {"delivered", 0}, {"dropped", ordered_json::object()}, {"in_flight", 0}};
  std::uint64_t events = 0, hops = 0;
  std::string verdict = "complete";
  std::int64_t sim_time = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const ordered_json& s = outcomes[i].summary;
    ordered_json row = {{sweep.label_title, sweep.points[i].label}};
    for (const auto& column : sweep.columns) {
      const ordered_json value = find_result(s["results"], column.metric);
      if (value.is_null()) {
        std::vector<std::string> names;
        for (const auto& [name, result] : s["results"].items()) names.push_back(name);
        throw input_error(column.metric.where,
                          fmt::format("unknown result '{}'{}", column.metric.value,
                                      suggestion(column.metric.value, names)));
      }
      row[column.title] = value;
    }
    row["verdict"] = s["verdict"];
    rows.push_back(row);
    for (const char* key : {"created", "delivered", "in_flight"}) {
      packets[key] = packets[key].get<std::uint64_t>() + s["packets"][key].get<std::uint64_t>();
    }
    for (const auto& [cause, n] : s["packets"]["dropped"].items()) {
      auto& total = packets["dropped"][cause];
      total = (total.is_null() ? 0 : total.get<std::uint64_t>()) + n.get<std::uint64_t>();
    }
    events += s["events"].get<std::uint64_t>();
    hops += s["packet_hops"].get<std::uint64_t>();
    sim_time += s["sim_time_ps"].get<std::int64_t>();
    if (s["verdict"] != "complete" && verdict != "stuck") verdict = s["verdict"].get<std::string>();
    out.exit_code = std::max(out.exit_code, outcomes[i].exit_code);
  }
  ordered_json validation = ordered_json::array();
  for (const auto& p : sweep.published) {
    const SweepPoint* point = find_point(sweep, p.point);
    const auto i = static_cast<std::size_t>(point == nullptr ? 0 : point - sweep.points.data());
    const ordered_json measured = find_result(outcomes[i].summary["results"], p.metric);
    if (measured.is_null())
      throw input_error(p.metric.where, fmt::format("unknown result '{}'", p.metric.value));
    validation.push_back({{"id", p.id},
                          {"published", p.value},
                          {"measured", measured},
                          {"unit", p.unit},
                          {"kind", "predicted"},
                          {"point", p.point},
                          {"metric", p.metric.value},
                          {"source", p.source}});
  }
  out.summary = {{"schema", 1},
                 {"platform", platform.about.name},
                 {"config", platform.effective},
                 {"config_hash", hash_of(platform.effective)},
                 {"seed", platform.sim.seed},
                 {"version", version()},
                 {"verdict", verdict},
                 {"sim_time_ps", sim_time},
                 {"wall_s", wall.elapsed_seconds()},
                 {"packets", packets},
                 {"events", events},
                 {"packet_hops", hops},
                 {"results", ordered_json::object()},
                 {"rows", {{"sweep", rows}}},
                 {"validation", validation}};
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    out.points.emplace_back(sweep.points[i].label, std::move(outcomes[i]));
  return out;
}

std::string table_text(const PlatformConfig& platform, const ordered_json& summary) {
  const SweepConfig& sweep = platform.sweep;
  // Published values stand in a column of their own, right of the metric they belong to.
  std::vector<std::vector<std::string>> grid(1);
  grid[0].push_back(sweep.label_title);
  std::map<std::string, bool> has_published;
  for (const auto& p : sweep.published) has_published[p.metric.value] = true;
  for (const auto& column : sweep.columns) {
    grid[0].push_back(column.title);
    if (has_published[column.metric.value]) grid[0].push_back("published");
  }
  const ordered_json& rows = summary["rows"]["sweep"];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> line = {sweep.points[i].label};
    for (const auto& column : sweep.columns) {
      line.push_back(fmt::format("{:.{}f}", rows[i][column.title].get<double>(), column.digits));
      if (!has_published[column.metric.value]) continue;
      std::string published = "-";
      for (const auto& p : sweep.published) {
        if (p.point == sweep.points[i].label && p.metric.value == column.metric.value) {
          published = fmt::format("{:.{}f}", p.value, column.digits);
        }
      }
      line.push_back(published);
    }
    if (rows[i]["verdict"] != "complete")
      line.back() += fmt::format("  ({})", rows[i]["verdict"].get<std::string>());
    grid.push_back(std::move(line));
  }
  std::vector<std::size_t> width(grid[0].size());
  for (const auto& line : grid) {
    for (std::size_t c = 0; c < line.size(); ++c) width[c] = std::max(width[c], line[c].size());
  }
  std::string text = sweep.title.empty() ? "" : sweep.title + "\n\n";
  for (std::size_t r = 0; r < grid.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < grid[r].size(); ++c) {
      line += fmt::format("{}{:>{}}", c == 0 ? "" : "  ", grid[r][c], width[c]);
    }
    text += line + "\n";
    if (r == 0) text += std::string(line.size(), '-') + "\n";
  }
  return text;
}

}  // namespace horae::platforms
