// Sizes that a program does not give.
#pragma once

#include <cstdint>

namespace horae::p4prog {

/// Entries of a table, and members of an action profile.
constexpr std::uint64_t table_entries = 512;  // bf-p4c, table size

}  // namespace horae::p4prog
