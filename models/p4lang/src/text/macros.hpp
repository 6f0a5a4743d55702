// Macros and their expansion (internal to the room).
#pragma once

#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report.hpp"
#include "token.hpp"

namespace horae::p4lang {

struct Macro {
  bool takes_arguments = false;
  bool variadic = false;  ///< the last parameter takes what is left
  std::vector<std::string> parameters;
  std::vector<Token> body;
  Place place;
};

/// Macros by name.
class Macros {
 public:
  void define(const std::string& name, Macro macro) { all_[name] = std::move(macro); }
  void undefine(const std::string& name) { all_.erase(name); }
  const Macro* find(const std::string& name) const {
    const auto it = all_.find(name);
    return it == all_.end() ? nullptr : &it->second;
  }

 private:
  std::map<std::string, Macro> all_;
};

/// Replaces macros in a piece of text as C's preprocessor does: a name is not replaced inside its
/// own expansion; arguments are expanded first unless they are pasted or made strings.
class Expander {
 public:
  /// Tokens that all expansions of a translation may make together: what grows beyond is refused.
  static constexpr std::size_t most_tokens = 1'000'000;
  static constexpr int deepest = 200;

  Expander(const Macros& macros, Report& report) : macros_(macros), report_(report) {}
  std::vector<Token> expand(const std::vector<Token>& input);

 private:
  /// Tokens to read: the input at the bottom, expansions of macros above it.
  struct Context {
    std::vector<Token> tokens;
    std::size_t at = 0;
    std::string macro;  ///< whose expansion it is
  };
  struct Input {
    std::vector<Context> contexts;
  };

  std::optional<Token> next(Input& input);
  const Token* peek(Input& input);
  void leave(Input& input);
  bool enter(Input& input, const Token& name, const Macro& macro);
  std::vector<std::vector<Token>> arguments(Input& input, const Token& name, const Macro& macro);
  std::vector<Token> substitute(const Token& name, const Macro& macro,
                                const std::vector<std::vector<Token>>& arguments);
  std::vector<Token> replaced(const Token& name, const Macro& macro,
                              const std::vector<std::vector<Token>>& arguments);
  void count(const Place& place, std::size_t tokens);

  const Macros& macros_;
  Report& report_;
  std::set<std::string> busy_;  ///< macros that are being expanded
  std::size_t made_ = 0;
  int depth_ = 0;
};

}  // namespace horae::p4lang
