// Bytes between ranks by MPI, as one of several processes that mpirun starts: the module of the
// program (argv[1]) is loaded as the program loads it. Also under AddressSanitizer, where MPI is
// otherwise left out of what CI runs.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "horae/core/random.hpp"
#include "mpi_module.hpp"

namespace {

using namespace horae;
using Bytes = fabric::rank_exchange::Bytes;

constexpr unsigned rounds = 40;
constexpr int given_up = 3;
constexpr std::string_view reason = "rank 1 has had enough";

void require(bool holds, std::string_view what) {
  if (holds) return;
  fmt::print(stderr, "mpi_exchange: {}\n", what);
  std::_Exit(EXIT_FAILURE);  // mpirun ends the others
}

/// Bytes from `from` to `to` in a round: both work it out. Nothing, a little, or more than MPI
/// sends without waiting for its receiver.
Bytes given(unsigned round, unsigned from, unsigned to) {
  RandomStream random(round, fmt::format("{}-{}", from, to));
  constexpr unsigned most[] = {0, 1, 100, 5000, 300000};
  Bytes out(random.below(most[random.below(5)] + 1));
  std::generate(out.begin(), out.end(), [&] { return static_cast<std::byte>(random.below(256)); });
  return out;
}

void exchange_all(fabric::rank_exchange& ranks) {
  std::vector<Bytes> in(ranks.ranks());
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<Bytes> mine;
    for (unsigned to = 0; to < ranks.ranks(); ++to) mine.push_back(given(round, ranks.rank(), to));
    ranks.exchange(std::vector<std::span<const std::byte>>(mine.begin(), mine.end()), in);
    for (unsigned from = 0; from < ranks.ranks(); ++from) {
      if (from != ranks.rank())
        require(in[from] == given(round, from, ranks.rank()), "other bytes than were given");
    }
  }
  const auto values = ranks.all_of(7 * ranks.rank());
  for (unsigned r = 0; r < ranks.ranks(); ++r) require(values[r] == 7 * r, "another value");
}

/// Rank 1 gives up; the others are told why in what they exchange next.
void give_up(fabric::rank_exchange& ranks) {
  if (ranks.rank() == 1) return ranks.fail(given_up, std::string(reason));
  try {
    ranks.all_of(0);
  } catch (const fabric::RankFailed& e) {
    return require(e.rank == 1 && e.exit_code == given_up && e.what() == reason, "another failure");
  }
  require(false, "nobody gave up");
}

}  // namespace

int main(int argc, char** argv) {
  require(argc == 3, "usage: mpi_exchange horae_mpi.so RANKS");
  void* const module = ::dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  require(module != nullptr, "the module cannot be loaded");
  auto* const join =
      reinterpret_cast<ranks::join_mpi_function*>(::dlsym(module, ranks::join_mpi_name));
  require(join != nullptr, "no function to join with");
  const std::unique_ptr<fabric::rank_exchange> exchange(join());
  require(exchange->ranks() == static_cast<unsigned>(std::atoi(argv[2])),
          "another number of ranks");
  exchange_all(*exchange);
  give_up(*exchange);
}
