// C's preprocessor, as P4 programs use it (internal to the room).
#pragma once

#include <string>
#include <vector>

#include "macros.hpp"
#include "source_files.hpp"

namespace horae::p4lang {

/// Tokens of a program behind its preprocessor, each with the place where it was written.
class Preprocessor {
 public:
  static constexpr std::size_t deepest_include = 64;
  static constexpr std::size_t most_tokens = 8'000'000;

  Preprocessor(const Options& options, SourceFiles& files, Report& report);
  /// The whole program of a file; `end` is the last. InputError if there is no such file.
  std::vector<Token> run(const std::string& file);

 private:
  struct Branch {
    bool taken = false;      ///< the lines that follow count
    bool was = false;        ///< a branch of this #if was taken
    bool otherwise = false;  ///< #else came
    Place place;
  };

  void predefine(const Options& options);
  void read(std::uint32_t file);
  void line(std::vector<Token>& tokens);
  void directive(std::vector<Token>& line);
  bool conditional(const Token& name, const std::vector<Token>& rest);
  void alternative(const Token& name, const std::vector<Token>& rest);
  bool holds(const Token& name, const std::vector<Token>& rest);
  void define(const Token& at, const std::vector<Token>& rest);
  bool parameters(Macro& macro, const std::vector<Token>& rest, std::size_t& at);
  void include(const Token& at, const std::vector<Token>& rest);
  bool skips() const;
  void flush();

  SourceFiles& files_;
  Report& report_;
  Macros macros_;
  Expander expander_;
  std::vector<Token> pending_;  ///< text that is not expanded yet: arguments may go over lines
  std::vector<Token> out_;
  std::vector<Branch> branches_;
  std::vector<std::uint32_t> including_;
};

}  // namespace horae::p4lang
