// Registries: entries by name.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/core/cxx20.hpp"

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

/// InputError "<what> '<name>' is there already", or that <what> is read and can take no more.
[[noreturn]] void refuse_entry(std::string_view what, std::string_view name, bool is_read);

/// Entries of the program, and those that plug-ins add before the first use. Schemas and lists are
/// made of the entries once, so nothing can be added later.
template <class Entry>
class Registry {
 public:
  /// `what`: an entry in messages, "load balancer".
  Registry(std::string_view what, std::vector<Entry> own) : what_(what), all_(std::move(own)) {}

  /// InputError for a name that is taken, and once all() was called.
  void add(Entry entry) {
    if (is_read_) refuse_entry(what_, entry.name, true);
    for (const Entry& other : all_) {
      if (other.name == entry.name) refuse_entry(what_, entry.name, false);
    }
    all_.push_back(std::move(entry));
  }
  const std::vector<Entry>& all() {
    is_read_ = true;
    return all_;
  }

 private:
  std::string_view what_;
  std::vector<Entry> all_;
  std::atomic<bool> is_read_ = false;
};

}  // namespace horae
