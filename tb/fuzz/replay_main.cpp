// Runs a fuzz target over the files of folders, without a fuzzer: what CI does with the corpora.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "target.hpp"

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(argv[i]))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    // Whole, and cut at some places: what a fuzzer finds first.
    for (const std::size_t parts : {4, 3, 2, 1}) {
      const std::string cut = text.substr(0, text.size() / parts);
      horae::fuzz::one_input({reinterpret_cast<const std::uint8_t*>(cut.data()), cut.size()});
    }
  }
  fmt::print("{} files\n", files.size());
  return files.empty() ? 1 : 0;
}
