// The parameters that a search may change, and one trial with them changed.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/design/design_file.hpp"
#include "horae/params/document.hpp"
#include "horae/size/search.hpp"
#include "horae/workload/read_platform.hpp"
#include "p4_source.hpp"
#include "trial.hpp"

namespace horae::size {

SizeRequest with(SizeRequest request, const std::string& key, std::int64_t value) {
  request.overrides.push_back(fmt::format("{}={}", key, value));
  return request;
}

Trial trial(const SizeRequest& request) {
  SizeRequest quick = request;
  quick.effort = dataplane::PlaceEffort::fit;
  try {
    return all_fit(size_designs(quick)) ? Trial::fits : Trial::does_not_fit;
  } catch (const InputError&) {
    return Trial::refused;
  }
}

bool fits(const SizeRequest& request) { return trial(request) == Trial::fits; }

namespace {

/// An exact key has no more values.
void bound_by_key(Adjustable& entries, std::int64_t key_bits) {
  if (key_bits < 1 || key_bits > 32 || std::int64_t{1} << key_bits >= entries.most) return;
  entries.most = std::max(entries.value, std::int64_t{1} << key_bits);
  entries.why_most = fmt::format("a key of {} bits has no more values", key_bits);
}

}  // namespace

std::vector<Adjustable> adjustables(const SizeRequest& request) {
  constexpr std::int64_t largest = std::int64_t{1} << 24;
  if (request.p4) return p4_adjustables(request, largest);
  std::vector<Adjustable> out;
  const Document document = Document::load(request.file, request.overrides);
  if (!request.objects) {
    const config::PlatformConfig platform = workload::read_platform(document);
    for (const auto& [name, profile] : platform.profiles) {
      const auto* chip = std::get_if<config::TofinoProfile>(&profile);
      if (chip == nullptr) continue;
      const auto config = chip->program->config();
      for (const auto& [key, value] : config.items()) {
        if (value.is_number_integer() && value.get<std::int64_t>() > 0)
          out.push_back({fmt::format("{}.program.{}", name, key), value, 1, largest, "", ""});
      }
    }
    return out;
  }
  struct Number {
    const char* key;
    std::int64_t otherwise;  ///< its value where a file does not say one
    std::int64_t most;
  };
  static constexpr Number numbers[] = {
      {"entries", 0, largest},    {"pieces", 1, 64},  // more take long to place
      {"key_bits", 0, 1024},      {"data_bits", 0, 1024}, {"actions", 0, 1024},
      {"partitions", 0, 1 << 20}, {"groups", 0, largest}, {"group_size", 0, 119040},
      {"copies", 0, 1024},        {"bits", 0, 4096},      {"rows", 0, 65536}};
  const auto kinds = dataplane::design_file_kinds();
  const auto collect = [&](const Section& section, const std::string& prefix) {
    for (const auto& kind : kinds) {
      const auto objects = section.children(kind);
      for (std::size_t i = 0; i < objects.size(); ++i) {
        const auto json = objects[i].to_json();
        const std::string name = json.value("name", "");
        for (const auto& number : numbers) {
          // For conditions and random numbers the bits are their purpose.
          if (std::string_view(number.key) == "bits" && kind != "field") continue;
          const bool pieces = std::string_view(number.key) == "pieces";
          if (pieces && (kind != "register" || json.contains("table"))) continue;
          const std::int64_t value =
              json.contains(number.key) && json[number.key].is_number_integer()
                  ? json[number.key].get<std::int64_t>()
                  : number.otherwise;
          if (value <= 0) continue;
          out.push_back({fmt::format("{}{}[{}].{}", prefix, kind, i, number.key), value, 1,
                         number.most, "", name});
          if (kind == "exact" && std::string_view(number.key) == "entries")
            bound_by_key(out.back(), json.value("key_bits", std::int64_t{0}));
        }
      }
    }
  };
  const Section root = document.root();
  collect(root, "");
  const auto designs = root.children("design");
  for (std::size_t i = 0; i < designs.size(); ++i)
    collect(designs[i], fmt::format("design[{}].", i));
  return out;
}

}  // namespace horae::size
