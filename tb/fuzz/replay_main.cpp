// Runs a fuzz target over the files of folders, without a fuzzer: what CI does with the corpora.
// With HORAE_FUZZ_BYTES it then damages them until so many bytes were executed: the same for a
// HORAE_FUZZ_SEED (1), and guided by nothing.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "executed.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Input = std::vector<std::uint8_t>;

constexpr std::size_t longest = 4096;                // as tb/tools/fuzz asks of libFuzzer
constexpr std::chrono::seconds too_long{20};         // likewise
constexpr std::size_t most_changes = 8, piece = 64;  // of an input; bytes of what is moved

/// Makes inputs of others, as fuzzers do: pieces of one in another, doubled, taken out, cut; bytes.
class Damage {
 public:
  Damage(std::vector<Input> whole, std::uint64_t seed) : whole_(std::move(whole)), draw_(seed) {}

  const Input& next() {
    out_ = any();
    // Half of them have one change: more of these are read far.
    for (std::size_t n = below(2) == 0 ? 1 : 1 + below(most_changes); n > 0; --n) change();
    if (out_.size() > longest) out_.resize(longest);
    return out_;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : draw_() % end; }
  const Input& any() { return whole_[below(whole_.size())]; }
  static auto at(const Input& of, std::size_t i) {
    return of.begin() + static_cast<std::ptrdiff_t>(i);
  }
  Input part(const Input& of) {
    const std::size_t from = below(of.size()), count = std::min(1 + below(piece), of.size() - from);
    return Input(at(of, from), at(of, from + count));
  }
  void change() {
    const std::size_t where = below(out_.size() + 1);
    switch (below(6)) {
      case 0: {
        const Input more = part(any());
        out_.insert(at(out_, where), more.begin(), more.end());
        return;
      }
      case 1: {
        const Input again = part(out_);
        out_.insert(at(out_, where), again.begin(), again.end());
        return;
      }
      case 2:
        out_.erase(at(out_, where), at(out_, std::min(out_.size(), where + 1 + below(piece))));
        return;
      case 3: {
        const Input over = part(any());
        std::copy_n(over.begin(), std::min(over.size(), out_.size() - where),
                    out_.begin() + static_cast<std::ptrdiff_t>(where));
        return;
      }
      case 4:
        if (where < out_.size()) out_[where] = static_cast<std::uint8_t>(draw_());
        return;
      default:
        if (where < out_.size()) out_[where] ^= static_cast<std::uint8_t>(1u << below(8));
    }
  }

  std::vector<Input> whole_;
  std::mt19937_64 draw_;
  Input out_;
};

/// HORAE_FUZZ_LAST: a file that has each input before it is run, so that of a finding stays.
void run_damaged(std::vector<Input> whole, std::uint64_t bytes) {
  const char* const seed = std::getenv("HORAE_FUZZ_SEED");
  Damage damage(std::move(whole), seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10));
  horae::fuzz::Executed executed;
  const char* const kept = std::getenv("HORAE_FUZZ_LAST");
  Clock::duration slowest{};
  while (executed.bytes < bytes) {
    const Input& input = damage.next();
    if (kept != nullptr)
      std::ofstream(kept, std::ios::binary)
          .write(reinterpret_cast<const char*>(input.data()),
                 static_cast<std::streamsize>(input.size()));
    const auto begin = Clock::now();
    executed.one(input);
    slowest = std::max(slowest, Clock::now() - begin);
    horae::fuzz::require(slowest < too_long, "an input took 20 s");
  }
  executed.say();
  fmt::print(stderr, "the slowest took {:.3f} s\n", std::chrono::duration<double>(slowest).count());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(argv[i]))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Input> whole;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    whole.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    // Whole, and cut at some places: what a fuzzer finds first.
    for (const std::size_t parts : {4, 3, 2, 1})
      horae::fuzz::one_input(std::span(whole.back()).first(whole.back().size() / parts));
  }
  fmt::print("{} files\n", files.size());
  if (files.empty()) return 1;
  if (const std::uint64_t bytes = horae::fuzz::bytes_asked(); bytes > 0)
    run_damaged(std::move(whole), bytes);
  return 0;
}
