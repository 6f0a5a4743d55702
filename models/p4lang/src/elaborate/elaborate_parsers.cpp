// Elaboration: parsers, with those that they apply in place of their calls.
#include <fmt/format.h>

#include "elaborator.hpp"
#include "horae/core/quantity_text.hpp"

namespace horae::p4lang {

using tree::DeclKind;

namespace {

std::vector<std::string> names_of(const std::map<std::string, std::uint32_t>& indices) {
  std::vector<std::string> out = {"accept", "reject"};
  for (const auto& [name, index] : indices) out.push_back(name);
  return out;
}

}  // namespace

/// Gives each state of a parser its place, and then its contents.
void Elaborator::states(const Decl& decl, std::map<std::string, std::uint32_t>& indices) {
  const auto place_of = [&](const Decl& node) {
    work(node.place);
    State out;
    out.name = cx_.local.empty() ? node.name : cx_.local + "." + node.name;
    out.annotations = node.annotations;
    out.place = node.place;
    if (!indices.emplace(node.name, static_cast<std::uint32_t>(cx_.block->states.size())).second) {
      report_.fault(node.place,
                    fmt::format("parser '{}' has a state '{}' already", decl.name, node.name));
      return;
    }
    if (node.name == "accept" || node.name == "reject")
      report_.fault(node.place, fmt::format("state '{}' cannot be declared", node.name));
    cx_.block->states.push_back(std::move(out));
  };
  for (const Decl* node : decl.states) {
    if (node->name == "start") place_of(*node);
  }
  if (!indices.contains("start"))
    report_.refuse(decl.place, fmt::format("parser '{}' has no state 'start'", decl.name));
  for (const Decl* node : decl.states) {
    if (node->name != "start") place_of(*node);
  }
  for (const Decl* node : decl.states) {
    try {
      state(*node, indices[node->name], indices);
    } catch (const Skip&) {
    }
  }
}

void Elaborator::state(const Decl& decl, std::uint32_t index,
                       const std::map<std::string, std::uint32_t>& indices) {
  const Keep keep(*this);
  cx_.scope = new_scope(cx_.scope);
  const std::string name = cx_.block->states[index].name;
  std::uint32_t at = index;
  Statements out;
  const auto store = [&] {
    auto& into = cx_.block->states[at].statements;
    std::move(out.begin(), out.end(), std::back_inserter(into));
    out.clear();
  };
  for (const auto* node : decl.body->body) {
    try {
      const auto instance = node->form == tree::StmtForm::call ? applied(*node->a) : nullptr;
      if (instance == nullptr) {
        statement(*node, out);
        continue;
      }
      store();
      at = apply_parser(*node->a, *instance, at, name);
    } catch (const Skip&) {
    }
  }
  store();
  State rest;
  select(decl, rest, indices);
  cx_.block->states[at].select = std::move(rest.select);
  cx_.block->states[at].cases = std::move(rest.cases);
}

/// A parser in place of its call in state `at`; the state that goes on behind it.
std::uint32_t Elaborator::apply_parser(const tree::Expr& node, Instance& instance, std::uint32_t at,
                                       const std::string& name) {
  const Decl& decl = *instance.decl;
  if (decl.kind != DeclKind::parser)
    report_.refuse(node.place, fmt::format("control '{}' is applied in a parser", decl.name));
  if (cx_.depth > deepest_inline)
    report_.refuse(node.place, fmt::format("parsers are nested more than {} deep", deepest_inline));
  used_.insert(&decl);
  Statements before;
  Statements after;
  Scope* scope = bind_parameters(node, instance, before, after);
  const bool first = instance.scope == nullptr;
  instance.scope = scope;

  const auto behind = static_cast<std::uint32_t>(cx_.block->states.size());
  State rest;
  for (int number = 2; rest.name.empty(); ++number) {
    rest.name = fmt::format("{}.{}", name, number);
    for (const State& s : cx_.block->states) {
      if (s.name == rest.name) rest.name.clear();
    }
  }
  rest.place = node.place;
  rest.statements = std::move(after);
  cx_.block->states.push_back(std::move(rest));

  const Keep keep(*this);
  cx_.full = instance.full;
  cx_.local = instance.local;
  cx_.decl = &decl;
  cx_.scope = scope;
  cx_.accept = behind;
  ++cx_.depth;
  if (first) {
    block_body(decl, before);
  } else {
    for (const Decl* one : decl.locals) {
      if (one->kind != DeclKind::variable || one->initial == nullptr) continue;
      const Symbol& symbol = lookup(one->name, one->place, "name");
      Stmt set;
      set.place = one->place;
      set.target = symbol.value;
      set.value = converted(*one->initial, symbol.type, "a value");
      before.push_back(std::move(set));
    }
  }
  auto& into = cx_.block->states[at].statements;
  std::move(before.begin(), before.end(), std::back_inserter(into));
  SelectCase go;
  go.next = static_cast<std::uint32_t>(cx_.block->states.size());
  go.place = node.place;
  cx_.block->states[at].cases.push_back(std::move(go));
  std::map<std::string, std::uint32_t> indices;
  states(decl, indices);
  return behind;
}

std::uint32_t Elaborator::next_state(const std::string& name, const Place& place,
                                     const std::map<std::string, std::uint32_t>& indices) {
  if (name == "accept") return cx_.accept;
  if (name == "reject") return reject_state;
  const auto it = indices.find(name);
  if (it == indices.end())
    report_.refuse(place, fmt::format("unknown state '{}'{}", printable(name),
                                      suggestion(name, names_of(indices))));
  return it->second;
}

void Elaborator::select(const Decl& decl, State& out,
                        const std::map<std::string, std::uint32_t>& indices) {
  if (!decl.has_transition) {  // P4-16, 12.5: without one a state goes to reject
    out.cases.push_back({{}, reject_state, decl.place});
    return;
  }
  for (const auto* node : decl.select) {
    Expr value = expr(*node);
    if (value.type->kind == TypeKind::integer || width_of(*value.type) == 0)
      if (value.type->kind != TypeKind::error && value.type->kind != TypeKind::enumeration)
        report_.refuse(node->place,
                       fmt::format("found select of {}, expected bits", type_text(*value.type)));
    if (value.kind == ExprKind::list) {  // a tuple: its parts
      for (auto& part : value.operands) out.select.push_back(std::move(part));
    } else {
      out.select.push_back(std::move(value));
    }
  }
  for (const auto& node : decl.transitions) {
    work(node.place);
    try {
      out.cases.push_back(select_case(node, out.select, indices));
    } catch (const Skip&) {
    }
  }
}

SelectCase Elaborator::select_case(const tree::TransitionCase& node,
                                   const std::vector<Expr>& values,
                                   const std::map<std::string, std::uint32_t>& indices) {
  SelectCase out;
  out.place = node.place;
  out.next = next_state(node.next, node.next_place, indices);
  if (values.empty()) return out;
  const bool alone = node.keys.size() == 1;
  const bool any = alone && (node.keys[0]->form == tree::Form::any ||
                             node.keys[0]->form == tree::Form::by_default);
  if (any) {
    out.keys.resize(values.size());
    return out;
  }
  if (alone && values.size() > 1 && node.keys[0]->form == tree::Form::name) {
    out.keys.push_back(key_set(*node.keys[0], values[0].type));
    if (out.keys[0].kind == SetKind::value_set) return out;  // of all values at once
    out.keys.clear();
  }
  const auto keys = flat(node.keys);
  if (keys.size() != values.size())
    report_.refuse(node.place,
                   fmt::format("found {} sets of values, expected {}", keys.size(), values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    out.keys.push_back(key_set(*keys[i], values[i].type));
  return out;
}

}  // namespace horae::p4lang
