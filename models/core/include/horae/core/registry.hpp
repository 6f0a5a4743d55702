// Looking an entry of a registry up by its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace horae {

/// InputError "unknown <what> '<name>'" with the nearest of `names`, or all of them.
[[noreturn]] void refuse_name(std::string_view what, std::string_view name,
                              const std::vector<std::string>& names);

/// The entry whose `name` is `name`; InputError (see refuse_name) when there is none.
template <class Entry>
const Entry& find_named(const std::vector<Entry>& entries, std::string_view what,
                        std::string_view name) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  refuse_name(what, name, names);
}

}  // namespace horae
