// Messages of libpcap in the form of ours (internal to the room).
#pragma once

#include <string>
#include <string_view>

namespace horae::capture {

/// Without line breaks and other control characters.
inline std::string readable(std::string_view message) {
  std::string text(message);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace horae::capture
