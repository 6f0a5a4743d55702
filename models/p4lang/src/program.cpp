#include "horae/p4lang/program.hpp"

#include <fmt/format.h>

namespace horae::p4lang {

const Property* Table::find(std::string_view property) const {
  for (const auto& p : properties) {
    if (p.name == property) return &p;
  }
  return nullptr;
}

const Expr* ExternObject::argument(std::string_view parameter) const {
  for (std::size_t i = 0; i < parameters.size() && i < arguments.size(); ++i) {
    if (parameters[i] == parameter)
      return arguments[i].kind == ExprKind::absent ? nullptr : &arguments[i];
  }
  return nullptr;
}

std::string Program::place_text(const Place& place) const {
  const std::string file = place.file < files.size() ? files[place.file] : std::string();
  return place.line == 0 ? file : fmt::format("{}:{}:{}", file, place.line, place.column);
}

const Block* Program::block(const Pipe& pipe, std::string_view role) const {
  for (const std::uint32_t index : pipe.blocks) {
    if (blocks[index].role == role) return &blocks[index];
  }
  return nullptr;
}

}  // namespace horae::p4lang
