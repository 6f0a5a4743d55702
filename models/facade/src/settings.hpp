// Settings of an object: "KEY=VALUE KEY=VALUE", read as a command's settings are.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/psn.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"

namespace horae::facade {

template <class Config>
Config read_settings(const char& text) {
  std::istringstream blanks{std::string(&text)};
  std::vector<std::string> words;
  for (std::string word; blanks >> word;) words.push_back(word);
  return Document::parse("", "settings", words).root().template read<Config>();
}

/// Messages speak of a command's flag where the library has settings.
template <class Work>
auto in_words_of_settings(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const InputError& e) {
    std::string message = e.what();
    constexpr std::string_view flag = "--set ";
    if (message.starts_with(flag)) message.replace(0, flag.size(), "setting ");
    throw InputError(message);
  }
}

inline void check_24_bits(const char* what, std::uint32_t value) {
  if (value > Psn::mask)
    throw InputError(fmt::format("{} = {} is above the maximum 2^24 - 1", what, value));
}

}  // namespace horae::facade
