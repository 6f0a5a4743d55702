#include "horae/control/scripts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <utility>

#include "horae/control/shipped_bfrt.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"

namespace horae::control {
namespace {

using nlohmann::ordered_json;

// Where the child finds the request and leaves the answer.
constexpr int request_fd = 3, answer_fd = 4;
constexpr int no_python = 127;

/// Makes a package of the files of the request and runs the scripts.
constexpr const char* start = R"py(
import json, os, sys, types
request = json.load(os.fdopen(3))
sys.modules["horae_bfrt"] = types.ModuleType("horae_bfrt")
sys.modules["horae_bfrt"].__path__ = []
for name in ("values", "fields", "tables", "fixed", "generators", "tree", "rows", "script"):
    module = types.ModuleType("horae_bfrt." + name)
    sys.modules[module.__name__] = module
    exec(compile(request["files"][name + ".py"], "<horae>/" + name + ".py", "exec"), module.__dict__)
answer = module.run(request)
sys.stdout.flush()
with os.fdopen(4, "w") as out:
    json.dump(answer, out)
os._exit(0)
)py";

/// A file in memory.
class Memory {
 public:
  explicit Memory(const char* name) : fd_(::memfd_create(name, MFD_CLOEXEC)) {
    if (fd_ < 0) throw ModelError("no memory to share with a child process");
  }
  ~Memory() { ::close(fd_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  int fd() const { return fd_; }
  void write(const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = ::write(fd_, text.data() + done, text.size() - done);
      if (n <= 0) throw ModelError("no memory to share with a child process");
      done += static_cast<std::size_t>(n);
    }
    ::lseek(fd_, 0, SEEK_SET);
  }
  std::string read() {
    ::lseek(fd_, 0, SEEK_SET);
    std::string out;
    char buffer[65536];
    for (ssize_t n = 0; (n = ::read(fd_, buffer, sizeof buffer)) > 0;)
      out.append(buffer, static_cast<std::size_t>(n));
    return out;
  }

 private:
  int fd_;
};

/// In the child: descriptors in their places, then Python. Does not return.
[[noreturn]] void become_python(int request, int answer, bool shown) {
  // High first, so that neither is overwritten before it is copied.
  const int high_request = ::fcntl(request, F_DUPFD, 10),
            high_answer = ::fcntl(answer, F_DUPFD, 10);
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, 0);
  if (!shown) ::dup2(null, 1);
  ::dup2(high_request, request_fd);
  ::dup2(high_answer, answer_fd);
  ::close(high_request);
  ::close(high_answer);
  ::execlp("python3", "python3", "-c", start, nullptr);
  ::_exit(no_python);
}

int ended(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

Location place_of(const ordered_json& at) { return {at.at(0), at.at(1), at.at(2), {}}; }

}  // namespace

Answer run_scripts(const ordered_json& view, const Scripts& scripts) {
  ordered_json request = {{"view", view}, {"scripts", ordered_json::array()}};
  if (!scripts.hostname.empty()) request["hostname"] = scripts.hostname;
  for (const auto& file : scripts.files) request["scripts"].push_back(file.value);
  for (const ShippedFile& file : shipped_bfrt)
    request["files"][std::string(file.name)] = std::string(file.text);
  Memory in("request"), out("answer");
  in.write(request.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw ModelError("no child process");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(no_python);
    become_python(in.fd(), out.fd(), scripts.shown);
  }
  const int status = ended(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == no_python)
    throw ModelError("scripts need python3 (Debian: python3)");
  const std::string text = out.read();
  if (text.empty())
    throw input_error(
        scripts.files.front().where,
        fmt::format("{}: the script ended Python with {} {}", scripts.files.front().value,
                    WIFSIGNALED(status) ? "signal" : "exit code",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)));
  ordered_json answer = ordered_json::parse(text);
  if (answer.contains("fault"))
    throw input_error(place_of(answer["fault"]["at"]),
                      answer["fault"]["message"].get<std::string>());
  Answer left{std::move(answer["rows"]), {}, answer["notes"].get<std::vector<std::string>>()};
  for (const ordered_json& step : answer["steps"])
    left.steps.push_back(
        {Picoseconds(step.at("ps").get<std::int64_t>()), p4prog::Entries::of_script(step)});
  return left;
}

std::vector<p4prog::ControlStep> run_for_entries(const ordered_json& view,
                                                 const std::vector<Located<std::string>>& files,
                                                 const std::string& hostname) {
  Answer answer = run_scripts(view, {files, hostname});
  static std::set<std::string> said;  // platforms are read more than once
  for (const std::string& note : answer.notes) {
    if (said.insert(note).second)
      fmt::print(stderr, "horae: warning: {}\n", printable(note, std::string_view::npos));
  }
  return std::move(answer.steps);
}

}  // namespace horae::control
