// Fields and parser states of a design: whether they agree with each other and with the objects.
#include "horae/dataplane/objects/header_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "horae/core/error.hpp"
#include "horae/dataplane/design/design.hpp"
#include "horae/dataplane/place/field_order.hpp"

namespace horae::dataplane {
namespace {

/// Fields and states of one gress.
struct Listed {
  std::set<std::string> fields, headers, states;
};

std::vector<std::string> sorted(const std::set<std::string>& names) {
  return {names.begin(), names.end()};
}

void check_object(const DesignObject& object, const Listed& listed) {
  const auto named = fields_of(object);
  for (const auto* names : {&named.reads, &named.uses, &named.writes}) {
    for (const auto& name : *names) {
      // "x[3]" and "x[i]" are of the copies of x.
      if (listed.fields.contains(name) || listed.fields.contains(name.substr(0, name.rfind('['))))
        continue;
      throw input_error(object.where, fmt::format("'{}' names '{}', which is no field of {}{}",
                                                  object.name, name, gress_name(object.gress),
                                                  suggestion(name, sorted(listed.fields))));
    }
  }
}

void check_state(const ParserState& state, const Listed& listed, bool fields) {
  for (const auto& next : state.next) {
    if (listed.states.contains(next)) continue;
    throw input_error(
        state.where, fmt::format("'{}' goes to '{}', which is no state of {}{}", state.name, next,
                                 gress_name(state.gress), suggestion(next, sorted(listed.states))));
  }
  for (const auto& header : state.extracts) {
    if (!fields || listed.headers.contains(header)) continue;
    throw input_error(
        state.where,
        fmt::format("'{}' extracts '{}', which is the header of no field of {}{}", state.name,
                    header, gress_name(state.gress), suggestion(header, sorted(listed.headers))));
  }
}

}  // namespace

void Design::check_fields() const {
  Listed listed[2];
  const auto of = [&](Gress gress) -> Listed& { return listed[static_cast<std::size_t>(gress)]; };
  for (const auto& f : fields) {
    if (!of(f.gress).fields.insert(f.name).second)
      throw input_error(f.where, fmt::format("field '{}' is declared twice", f.name));
    if (!f.header.empty()) of(f.gress).headers.insert(f.header);
    if (f.stages.empty() || (f.stages.size() == 2 && f.stages[0] <= f.stages[1])) continue;
    throw input_error(f.where,
                      fmt::format("field '{}': stages: expected the first and the last", f.name));
  }
  for (const auto& s : parser) {
    if (!of(s.gress).states.insert(s.name).second)
      throw input_error(s.where, fmt::format("state '{}' is declared twice", s.name));
  }
  for (const auto& s : parser) check_state(s, of(s.gress), !fields.empty());
  // A list that says the stages itself may name its objects' fields as it likes.
  const auto says_stages = [](const HeaderField& f) { return !f.stages.empty(); };
  if (fields.empty() || std::ranges::any_of(fields, says_stages)) return;
  for (const auto& o : objects) check_object(o, of(o.gress));
}

}  // namespace horae::dataplane
