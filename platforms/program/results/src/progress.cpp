#include "horae/results/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace horae::results {

Progress::Progress(bool enabled) : enabled_(enabled), terminal_(::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

double Progress::elapsed_seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

bool Progress::due() const {
  using namespace std::chrono_literals;
  if (!enabled_) return false;
  const auto now = Clock::now();
  return terminal_ ? now - start_ > 2s && now - last_ > 200ms : now - last_ > 60s;
}

void Progress::update(double share, const std::string& text) {
  if (!due()) return;
  last_ = Clock::now();
  const double elapsed = elapsed_seconds();
  const std::string left = share > 0 ? fmt::format("{:.0f}", elapsed / share - elapsed) : "?";
  const std::string line = fmt::format("{:5.1f} %  {}  {} s left", share * 100, text, left);
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", line);
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
  shown_ = terminal_;
}

}  // namespace horae::results
