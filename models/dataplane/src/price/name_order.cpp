#include "name_order.hpp"

#include <algorithm>
#include <numeric>

namespace horae::dataplane {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number at the front, without zeros that lead it; taken from the text.
std::string_view take_number(std::string_view& text) {
  std::size_t end = 0, zeros = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  while (zeros + 1 < end && text[zeros] == '0') ++zeros;
  const auto number = text.substr(zeros, end - zeros);
  text.remove_prefix(end);
  return number;
}

}  // namespace

bool name_before(std::string_view a, std::string_view b) {
  const std::string_view all_a = a, all_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const auto x = take_number(a), y = take_number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return all_a < all_b;  // "t01" and "t1"
}

std::vector<std::size_t> by_name(const Design& design) {
  std::vector<std::size_t> order(design.objects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return name_before(design.objects[a].name, design.objects[b].name);
  });
  return order;
}

}  // namespace horae::dataplane
