#include "object_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace horae::p4price {

std::vector<std::string> fields_of(const std::vector<Use>& uses) {
  std::vector<std::string> out;
  for (const Use& u : uses) {
    if (std::ranges::find(out, u.bits.field) == out.end()) out.push_back(u.bits.field);
  }
  return out;
}

std::uint32_t bits_of(const std::vector<Use>& uses) {
  std::uint32_t sum = 0;
  std::vector<Bits> seen;
  for (const Use& u : uses) {
    if (std::ranges::find(seen, u.bits) != seen.end()) continue;
    seen.push_back(u.bits);
    sum += u.bits.high - u.bits.low + 1;
  }
  return sum;
}

std::string ObjectList::add(std::string name, dataplane::ObjectSpec spec,
                            const p4lang::Place& place) {
  std::string unique = name;
  for (int i = 2; out_.design.find(unique) != nullptr; ++i) unique = fmt::format("{}#{}", name, i);
  out_.design.objects.push_back(
      {unique, gress_, std::move(spec), {}, location_of(program_, place)});
  return unique;
}

dataplane::DesignObject& ObjectList::at(const std::string& name) {
  return *std::ranges::find(out_.design.objects, name, &dataplane::DesignObject::name);
}

void ObjectList::note(const std::string& object, std::string text, const p4lang::Place& place) {
  out_.notes.push_back({object, std::move(text), location_of(program_, place)});
}

void ObjectList::take_fields(const std::string& name, const Piece& piece) {
  const auto take = [](std::vector<std::string>& all, const std::vector<Use>& uses) {
    for (const auto& field : fields_of(uses))
      if (std::ranges::find(all, field) == all.end()) all.push_back(field);
  };
  dataplane::DesignObject& made = at(name);
  for (const auto& action : piece.actions) {
    take(made.sets, action.writes);
    take(made.uses, action.reads);
  }
}

std::string ObjectList::name_of(std::uint32_t object) const {
  return without_pipe(program_.externs.at(object).name, out_.pipe);
}

}  // namespace horae::p4price
