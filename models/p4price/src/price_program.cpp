#include "horae/p4price/price_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "chip_rules.hpp"
#include "gress_design.hpp"
#include "horae/core/error.hpp"
#include "objects/names.hpp"
#include "objects/table_of.hpp"
#include "steps/calls.hpp"
#include "steps/jumps.hpp"
#include "steps/parameters.hpp"

namespace horae::p4price {
namespace {

using dataplane::DependencyKind;

/// The blocks of a gress by their roles, which differ with the package.
GressBlocks blocks_of(const p4lang::Program& program, const p4lang::Pipe& pipe,
                      dataplane::Gress gress) {
  const std::string name(gress_name(gress));
  const auto first = [&](const std::vector<std::string>& roles) -> const p4lang::Block* {
    for (const auto& role : roles)
      if (const auto* block = program.block(pipe, role)) return block;
    return nullptr;
  };
  const std::string brief = gress == dataplane::Gress::ingress ? "ig" : "eg";
  return {gress, first({name + "_parser", "prsr0", brief + "_prsr", brief + "_prsr.prsr0"}),
          first({name}), first({name + "_deparser"})};
}

std::string_view verb(DependencyKind kind) {
  switch (kind) {
    case DependencyKind::match:
      return "matched";
    case DependencyKind::action:
      return "written again";
    case DependencyKind::read_after_write:
      return "read";
    default:
      return "written";
  }
}

std::string line_text(const Location& where) { return fmt::format("line {}", where.line); }

}  // namespace

std::vector<PipeDesign> designs_of(const p4lang::Program& source, const dataplane::ChipSpec& chip,
                                   const Sizes& sizes) {
  if (source.architecture != "tna" && source.architecture != "t2na") {
    throw InputError(fmt::format("{}: found a program for {}, expected tna or t2na",
                                 source.files.empty() ? "program" : source.files.front(),
                                 source.architecture));
  }
  p4lang::Program program = with_arguments(source);
  take_calls_out(program);
  put_flags(program, chip.name == "tofino1");
  std::vector<PipeDesign> out;
  for (const auto& pipe : program.pipes) {
    PipeDesign design;
    design.pipe = pipe.name;
    design.design.name = pipe.name;
    for (const auto gress : {dataplane::Gress::ingress, dataplane::Gress::egress}) {
      const GressBlocks blocks = blocks_of(program, pipe, gress);
      if (blocks.control == nullptr) continue;
      check_depth(program, blocks, chip);
      add_gress(program, blocks, chip, sizes, design);
      add_header_vector(program, blocks, chip, design);
    }
    design.design.check();
    out.push_back(std::move(design));
  }
  return out;
}

std::vector<Sized> sizes_of(const p4lang::Program& program) {
  std::vector<Sized> out;
  const auto local = [&](const std::string& name) {
    for (const auto& pipe : program.pipes)
      if (name.starts_with(pipe.name + ".")) return without_pipe(name, pipe.name);
    return name;
  };
  for (const auto& block : program.blocks) {
    for (const auto& table : block.tables) {
      if (table.keys.empty() || table.const_entries) continue;
      out.push_back({local(table.name), entries_of(table), location_of(program, table.place)});
    }
  }
  for (const auto& object : program.externs) {
    const auto* size = object.argument("size");
    const std::string& type = object.type->name;
    if (size == nullptr || size->kind != p4lang::ExprKind::constant) continue;
    if (type != "Register" && type != "Counter" && type != "Meter") continue;
    out.push_back({local(object.name), static_cast<std::uint64_t>(size->value),
                   location_of(program, object.place)});
  }
  return out;
}

std::vector<Link> longest_chain(const PipeDesign& pipe) {
  std::map<std::string, int> behind;
  std::map<std::string, const Link*> next;
  for (std::size_t round = 0; round <= pipe.design.objects.size(); ++round) {
    bool changed = false;
    for (const Link& link : pipe.links) {
      const int length = behind[link.to] + (needs_later_stage(link.kind) ? 1 : 0);
      const auto known = next.find(link.from);
      if (length < behind[link.from] || (length == behind[link.from] && known != next.end()))
        continue;
      if (length == 0) continue;
      behind[link.from] = length;
      next[link.from] = &link;
      changed = true;
    }
    if (!changed) break;
  }
  std::vector<Link> out;
  const auto longest = std::ranges::max_element(
      behind, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (longest == behind.end()) return out;
  std::string at = longest->first;
  while (next.contains(at) && out.size() <= pipe.links.size()) {
    out.push_back(*next.at(at));
    at = out.back().to;
  }
  return out;
}

std::string link_text(const Link& link) {
  if (link.field.empty())
    return fmt::format("`{}` ({}) decides whether `{}` runs ({})", link.from,
                       line_text(link.written), link.to, line_text(link.needed));
  if (link.kind == DependencyKind::anti)
    return fmt::format("`{}`, read in {} by `{}`, is written in {} by `{}`", link.field,
                       line_text(link.written), link.from, line_text(link.needed), link.to);
  return fmt::format("`{}`, written in {} by `{}`, is {} in {} by `{}`", link.field,
                     line_text(link.written), link.from, verb(link.kind), line_text(link.needed),
                     link.to);
}

}  // namespace horae::p4price
