// Programs as C++, made a library of by the compiler of this build, and loaded.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "horae/p4prog/compiled_text.hpp"

namespace horae::p4prog::test {

/// The library stays for as long as the process; its files go at once.
class CompiledLibrary {
 public:
  explicit CompiledLibrary(const std::vector<const p4lang::Program*>& programs) {
    std::string pattern = (std::filesystem::temp_directory_path() / "horae_p4.XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    const std::filesystem::path folder = pattern;
    {
      std::ofstream source(folder / "all.cpp");
      for (std::size_t i = 0; i < programs.size(); ++i)
        source << renamed(compiled_text(code_of(*programs[i])).cpp, symbol(i));
    }
    const std::string library = folder / "all.so";
    std::string command = HORAE_CXX " -std=c++20 -O0 -Wall -Wextra -Werror -fPIC -shared";
    for (const char* room : {"core", "params", "dataplane", "p4lang", "p4prog"})
      command += std::string(" -I" HORAE_MODELS_DIR "/") + room + "/include";
    command += " -o " + library + " " + (folder / "all.cpp").string();
    const bool made = std::system(command.c_str()) == 0;
    void* const loaded = made ? ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    const char* const error = made && loaded == nullptr ? ::dlerror() : nullptr;
    std::filesystem::remove_all(folder);
    if (loaded == nullptr)
      throw std::runtime_error(error == nullptr ? "it does not compile" : error);
    for (std::size_t i = 0; i < programs.size(); ++i)
      programs_.push_back(static_cast<const CompiledProgram*>(::dlsym(loaded, symbol(i).c_str())));
  }

  const CompiledProgram* operator[](std::size_t i) const { return programs_.at(i); }

 private:
  static std::string symbol(std::size_t i) { return "program_" + std::to_string(i); }
  static std::string renamed(std::string text, const std::string& name) {
    const std::string before = "horae_p4_program";
    for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos; at += name.size())
      text.replace(at, before.size(), name);
    return text;
  }

  std::vector<const CompiledProgram*> programs_;
};

}  // namespace horae::p4prog::test
