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
  if (!enabled_) return false;
  const auto now = Clock::now();
  return due(terminal_, now - start_, now - last_);
}

bool Progress::due(bool terminal, Clock::duration since_start, Clock::duration since_last) {
  using namespace std::chrono_literals;
  return terminal ? since_start > 2s && since_last > 200ms : since_last > 60s;
}

std::string Progress::line(double share, const std::string& text, double elapsed) {
  const std::string left = share > 0 ? fmt::format("{:.0f}", elapsed / share - elapsed) : "?";
  return fmt::format("{:5.1f} %  {}  {} s left", share * 100, text, left);
}

void Progress::update(double share, const std::string& text) {
  if (!due()) return;
  last_ = Clock::now();
  const std::string now = line(share, text, elapsed_seconds());
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", now);
  } else {
    fmt::print(stderr, "{}\n", now);
  }
  std::fflush(stderr);
  shown_ = terminal_;
}

}  // namespace horae::results
