// Several processes of one simulation joined by sockets: the seam's other side, for tests without
// MPI.
#pragma once

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "forked.hpp"
#include "horae/fabric/rank_exchange.hpp"

namespace horae::test {

class SocketRanks final : public fabric::rank_exchange {
 public:
  /// `sockets[r]`: to rank r.
  SocketRanks(unsigned rank, std::vector<int> sockets)
      : rank_(rank), sockets_(std::move(sockets)) {}

  unsigned rank() const override { return rank_; }
  unsigned ranks() const override { return static_cast<unsigned>(sockets_.size()); }

  /// Pair by pair, in an order without a cycle of ranks that wait for each other.
  void exchange(std::span<const std::span<const std::byte>> out, std::vector<Bytes>& in) override {
    ++exchanges;
    std::optional<fabric::RankFailed> failed;  // the others still wait for what this one gives
    for (unsigned r = 0; r < ranks(); ++r) {
      if (r == rank_) continue;
      if (rank_ < r) send(r, 0, out[r]);
      try {
        receive(r, in[r]);
      } catch (const fabric::RankFailed& e) {
        failed = e;
      }
      if (rank_ > r) send(r, 0, out[r]);
    }
    if (failed) throw fabric::RankFailed(*failed);
  }
  void fail(int exit_code, const std::string& text) override {
    for (unsigned r = 0; r < ranks(); ++r) {
      if (r != rank_) send(r, exit_code, std::as_bytes(std::span(text)));
    }
  }

  std::uint64_t exchanges = 0;  ///< so far

 private:
  struct Head {
    std::uint64_t bytes;
    int exit_code;  ///< 0: the rank goes on
  };

  void send(unsigned to, int exit_code, std::span<const std::byte> bytes) const {
    const Head head{bytes.size(), exit_code};
    write_all(to, &head, sizeof(head));
    write_all(to, bytes.data(), bytes.size());
  }
  void receive(unsigned from, Bytes& in) const {
    Head head{};
    read_all(from, &head, sizeof(head));
    in.resize(head.bytes);
    read_all(from, in.data(), in.size());
    if (head.exit_code == 0) return;
    throw fabric::RankFailed(from, head.exit_code,
                             {reinterpret_cast<const char*>(in.data()), in.size()});
  }
  void write_all(unsigned to, const void* data, std::size_t size) const {
    for (const char* p = static_cast<const char*>(data); size > 0;) {
      const ssize_t n = ::send(sockets_[to], p, size, MSG_NOSIGNAL);
      if (n <= 0) return;  // it failed, and what it said is there to be read
      p += n;
      size -= static_cast<std::size_t>(n);
    }
  }
  void read_all(unsigned from, void* data, std::size_t size) const {
    for (char* p = static_cast<char*>(data); size > 0;) {
      const ssize_t n = ::read(sockets_[from], p, size);
      if (n <= 0) throw std::runtime_error("a rank is gone");
      p += n;
      size -= static_cast<std::size_t>(n);
    }
  }

  unsigned rank_;
  std::vector<int> sockets_;
};

/// Runs `work(ranks)` in `n` child processes at the same time; what each returned, by rank.
template <class F>
std::vector<std::string> in_ranks(unsigned n, F&& work) {
  std::vector<std::vector<int>> sockets(n, std::vector<int>(n, -1));
  for (unsigned a = 0; a < n; ++a) {
    for (unsigned b = a + 1; b < n; ++b) {
      int ends[2];
      if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw ChildFailure("no sockets");
      sockets[a][b] = ends[0];
      sockets[b][a] = ends[1];
    }
  }
  std::vector<std::pair<pid_t, int>> children;
  for (unsigned rank = 0; rank < n; ++rank) {
    int ends[2];
    if (::pipe(ends) != 0) throw ChildFailure("no pipe");
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw ChildFailure("no process");
    if (child == 0) {
      ::alarm(120);
      for (unsigned other = 0; other < n; ++other) {
        for (const int s : sockets[other]) {
          if (other != rank && s >= 0) ::close(s);
        }
      }
      std::string text;
      try {
        const int before = detail::failures();
        SocketRanks ranks(rank, sockets[rank]);
        text = work(ranks);
        if (detail::failures() != before) text = "an assertion failed in a rank";
      } catch (const std::exception& e) {
        text = e.what();
      }
      detail::write_all(ends[1], text);
      std::fflush(nullptr);
      ::_exit(0);
    }
    ::close(ends[1]);
    children.emplace_back(child, ends[0]);
  }
  for (const auto& row : sockets) {
    for (const int s : row) {
      if (s >= 0) ::close(s);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [child, end] : children) {
    texts.push_back(detail::read_all(end));
    ::close(end);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  return texts;
}

}  // namespace horae::test
