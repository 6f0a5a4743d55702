// Tokens of P4 text, as the preprocessor and the reader see them (internal to the room).
#pragma once

#include <cstdint>
#include <string>

#include "horae/p4lang/place.hpp"

namespace horae::p4lang {

enum class TokenKind : std::uint8_t {
  end,
  line,    ///< end of a line: only inside the preprocessor
  name,    ///< identifier or keyword
  number,  ///< digits with a prefix of base, width and sign: 10, 0x1F, 8w0b1, 4s7
  text,    ///< a string with its quotes
  sign,    ///< operator or punctuation
  other,   ///< a character that P4 has no use for
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;
  Place place;
  bool first = false;  ///< of its line
  bool space = false;  ///< blanks or a comment before it
  bool final = false;  ///< a macro's name that is not to be replaced any more

  bool is(const char* what) const { return text == what && kind != TokenKind::text; }
};

/// As messages name it: `'x'`, or "the end of the file".
std::string shown(const Token& token);

}  // namespace horae::p4lang
