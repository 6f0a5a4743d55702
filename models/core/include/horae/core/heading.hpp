// Headings of files with a line of column names: where each column is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae {

/// A name in a heading and its column of text, from 1.
struct HeadingCell {
  std::string text;
  std::uint32_t column = 1;
};

inline constexpr std::size_t no_column = ~std::size_t{0};

/// For each of `names` the index of its cell in the heading. A name that is none of them, one that
/// is there twice, and one that is missing are refused by `refuse`, which throws; the last
/// `optional` of them may be missing (no_column).
std::vector<std::size_t> columns_of(
    std::span<const HeadingCell> heading, std::span<const std::string_view> names,
    std::size_t optional,
    const std::function<void(std::uint32_t column, const std::string& message)>& refuse);

}  // namespace horae
