// Platforms: what is accepted has an effective configuration that is accepted too, as it is.
#include <algorithm>
#include <cctype>

#include "../target.hpp"
#include "horae/params/document.hpp"
#include "horae/workload/read_platform.hpp"

bool horae::fuzz::one_input(std::span<const std::uint8_t> bytes) {
  using namespace horae;
  const std::string_view text = fuzz::text_of(bytes);
  // Networks of millions of devices are legal and take their time; files are those of the user.
  int digits = 0, most = 0;
  for (const char c : text) {
    digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
    most = std::max(most, digits);
  }
  const bool generated = text.find("leaves") != text.npos || text.find("fat_tree") != text.npos ||
                         text.find("jellyfish") != text.npos || text.find("two_sites") != text.npos;
  if (generated && most > 2) return false;
  return fuzz::read_or_refuse(
      [&] { (void)workload::read_platform(Document::parse(text, "p.toml")); });
}
