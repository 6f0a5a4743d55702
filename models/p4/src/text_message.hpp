// Protobuf's text format, of any message (internal to the room).
//
// The library's own reader needs the message's description compiled in (p4info.proto and what it
// includes, which no Debian package has) and keeps no places for messages about what was read; the
// grammar is small.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "horae/params/location.hpp"

namespace horae::p4 {

/// A message: fields in their order; a repeated one stands as often as it was given.
struct TextMessage {
  struct Field;
  std::vector<Field> fields;
  Location where;

  const Field* find(std::string_view name) const;
  /// The messages of a repeated field. InputError for one that is a value.
  std::vector<const TextMessage*> messages(std::string_view name) const;
  /// The message of a field, or nothing.
  const TextMessage* message(std::string_view name) const;
  /// The text or name that a field holds, or `otherwise`.
  std::string text(std::string_view name, const std::string& otherwise = {}) const;
  /// Whole numbers of a field, none to many. InputError for anything else.
  std::vector<std::uint64_t> numbers(std::string_view name) const;
  /// One of them, from `least` to `most`, or `otherwise`.
  std::uint64_t number(std::string_view name, std::uint64_t least, std::uint64_t most,
                       std::uint64_t otherwise) const;
};

struct TextMessage::Field {
  std::string name;
  std::string value;  ///< of a scalar: unquoted, or as it was written
  bool quoted = false;
  std::shared_ptr<TextMessage> message;  ///< of a message
  Location where;
};

/// Reads a text; `name` stands for the file in messages. InputError.
TextMessage parse_text_message(std::string_view text, const std::string& name);

}  // namespace horae::p4
