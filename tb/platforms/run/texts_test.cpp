// Output of commands for small inputs, to the byte. Each file texts/NAME.txt has commands, "$ horae
// run a.toml", and below each what it prints:
//   $ horae run a.toml --json : packets nics   of a summary only these keys
//   $ horae run a.toml --out out > out.txt     prints nothing here
//   $ cat out/flows.csv                        a file that a command before it has written
//   $ sums out                                 length and checksum of each file in a folder, or of
//   one
// HORAE_WRITE_TEXTS=1 writes the files anew; their differences are looked at before they are kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "program.hpp"

namespace horae::test::texts_test {
namespace {

namespace fs = std::filesystem;

const fs::path project = fs::path(HORAE_PLATFORM_DIR).parent_path();
const fs::path folder = project / "tb/platforms/texts";

/// Where the project's inputs have the names that users type, and those of texts/ stand beside.
class Beside {
 public:
  Beside() {
    for (const char* name : {"platforms", "traces", "tb"})
      fs::create_directory_symlink(project / name, place_.path() / name);
    for (const auto& file : fs::directory_iterator(folder)) {
      if (file.path().extension() != ".txt")
        place_.write(file.path().filename(), text_of(file.path()));
    }
  }
  const Workplace& place() const { return place_; }

  static std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  Workplace place_;
};

/// Without what differs from build to build and from run to run.
std::string masked(const std::string& text) {
  static const std::vector<std::pair<std::regex, std::string>> masks = {
      {std::regex(R"((made by":"horae )[^"]+)"), "$1VERSION"},
      {std::regex(R"(("version": ")\d+\.\d[^"]*)"), "$1VERSION"},
      {std::regex(R"((# version )\S+)"), "$1VERSION"},
      {std::regex(R"(("wall_s": )[-+.e\d]+)"), "$1WALL"},
      {std::regex(R"(\d+\.\d+ s of wall time)"), "WALL s of wall time"}};
  constexpr std::array words = {"made by", "wall", "version"};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::string line = text.substr(at, end - at);
    at = end;
    // Expressions take long, and few lines have any of this.
    const bool differs = std::ranges::any_of(
        words, [&](const char* word) { return line.find(word) != std::string::npos; });
    for (const auto& [what, with] : masks) {
      if (differs) line = std::regex_replace(line, what, with);
    }
    out += line;
  }
  return out;
}

/// FNV-1a, 64 bits.
std::uint64_t checksum(const std::string& text) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return sum;
}

std::string sums(const Workplace& place, const std::string& of) {
  std::string out;
  for (const auto& name : place.content()) {
    if (name != of && !name.starts_with(of + "/")) continue;
    if (!fs::is_regular_file(place.path() / name)) continue;
    const std::string text = masked(place.read(name));
    out += fmt::format("{:016x} {:>9} {}\n", checksum(text), text.size(), name);
  }
  return out;
}

std::string printed(const Workplace& place, const std::string& command) {
  std::istringstream in(command);
  Words words, keys;
  std::string to;
  bool of_keys = false;
  for (std::string word; in >> std::quoted(word);) {
    if (word == ">")
      in >> to;
    else if (word == ":")
      of_keys = true;
    else
      (of_keys ? keys : words).push_back(word);
  }
  if (words.at(0) == "cat") return masked(place.read(words.at(1)));
  if (words.at(0) == "sums") return sums(place, words.at(1));
  words.erase(words.begin());
  const Ended ended = run(place, words);
  std::string out = ended.out + ended.err;
  if (of_keys) {
    const auto summary = ended.json();
    out.clear();
    for (const auto& key : keys) out += "\"" + key + "\": " + summary.at(key).dump(2) + "\n";
  }
  if (ended.exit_code != 0) out += fmt::format("exit code {}\n", ended.exit_code);
  if (!to.empty()) place.write(to, std::exchange(out, {}));
  return masked(out);
}

/// The commands of a text, run one after the other, each with what it prints.
std::string anew(const std::string& text) {
  const Beside beside;
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("$ ")) out += line + "\n" + printed(beside.place(), line.substr(2)) + "\n";
  }
  out.pop_back();
  return out;
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() == ".txt") out.push_back(file.path().stem());
  }
  std::sort(out.begin(), out.end());
  return out;
}

class Texts : public ::testing::TestWithParam<std::string> {};

TEST_P(Texts, AreAsTheyStand) {
  const fs::path path = folder / (GetParam() + ".txt");
  const std::string expected = Beside::text_of(path), found = anew(expected);
  if (std::getenv("HORAE_WRITE_TEXTS") != nullptr) std::ofstream(path, std::ios::binary) << found;
  std::istringstream old_lines(expected), new_lines(found);
  std::string old_line, new_line;
  for (int number = 1; found != expected; ++number) {
    const bool some = static_cast<bool>(std::getline(old_lines, old_line));
    if (!std::getline(new_lines, new_line)) new_line = "(the end)";
    if (!some) old_line = "(the end)";
    ASSERT_EQ(new_line, old_line) << path.string() << ":" << number;
    ASSERT_TRUE(some) << "the end of the last line";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Texts, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace horae::test::texts_test
