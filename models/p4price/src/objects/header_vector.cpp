// Fields, parser states, value sets and checksums of a gress.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "gress_design.hpp"
#include "horae/dataplane/place/field_order.hpp"

namespace horae::p4price {
namespace {

using dataplane::HeaderField;
using p4lang::Block;
using p4lang::Callee;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Stmt;
using p4lang::StmtKind;

/// Names that two blocks of a gress share: headers, metadata, then parameters by their role.
std::string role_of(const Block& block, std::size_t parameter) {
  if (parameter == 0) return "headers";
  if (parameter == 1) return "metadata";
  return block.variables[parameter].role;
}

void for_statements(const std::vector<Stmt>& body, const std::function<void(const Stmt&)>& say) {
  for (const Stmt& s : body) {
    say(s);
    for_statements(s.body, say);
    for_statements(s.otherwise, say);
    for (const auto& c : s.cases) for_statements(c.body, say);
  }
}

void for_calls(const Expr& e, const std::function<void(const Expr&)>& say) {
  if (e.kind == ExprKind::call) say(e);
  for (const Expr& part : e.operands) for_calls(part, say);
}

void for_names(const Expr& e, const Block& block,
               const std::function<void(const std::string&)>& say) {
  if (const std::string name = name_of(e, block); !name.empty()) return say(name);
  for (const Expr& part : e.operands) for_names(part, block, say);
}

bool is_checksum(const Expr& call, const p4lang::Program& program) {
  return call.kind == ExprKind::call && call.callee == Callee::extern_method &&
         program.externs.at(call.index).type->name == "Checksum";
}

class VectorBuilder {
 public:
  VectorBuilder(const p4lang::Program& program, const GressBlocks& blocks,
                const dataplane::ChipSpec& chip, PipeDesign& out)
      : program_(program),
        blocks_(blocks),
        chip_(chip),
        out_(out),
        edges_(edges_of(program, blocks)) {}

  void run() {
    add_headers();
    add_metadata();
    if (blocks_.parser != nullptr) add_states();
    add_checksums();
  }

 private:
  dataplane::Gress gress() const { return blocks_.gress; }

  void add_field(std::string name, std::uint32_t bits, std::string header, bool parsed,
                 bool deparsed) {
    if (!listed_.insert(name).second) return;
    HeaderField f;
    f.name = std::move(name);
    f.bits = std::clamp(bits, 1u, 4096u);
    f.gress = gress();
    f.header = std::move(header);
    f.parsed = parsed;
    f.deparsed = deparsed;
    out_.design.fields.push_back(std::move(f));
  }

  /// All headers that a packet may have: what the parser extracts, what objects name.
  void add_headers() {
    const auto named = named_fields();
    const Block& control = *blocks_.control;
    if (control.parameters == 0) return;
    const auto& all = control.variables[0];
    const auto visit = [&](const auto& self, const std::string& name,
                           const p4lang::Type& type) -> void {
      if (type.kind == p4lang::TypeKind::header) return add_header(name, type, named);
      if (type.kind == p4lang::TypeKind::stack) {
        for (std::uint32_t i = 0; i < type.size; ++i)
          self(self, fmt::format("{}[{}]", name, i), *type.element);
        return;
      }
      for (const auto& field : type.fields) self(self, name + "." + field.name, *field.type);
    };
    visit(visit, all.name, *all.type);
  }

  void add_header(const std::string& name, const p4lang::Type& type,
                  const std::set<std::string>& named) {
    const bool used = std::ranges::any_of(edges_.extracted,
                                          [&](const auto& e) {
                                            return overlap(e, name) ||
                                                   e == name.substr(0, name.rfind('[')) + "[]";
                                          }) ||
                      std::ranges::any_of(named, [&](const auto& n) { return overlap(n, name); });
    if (!used) return;
    if (!type.fields.empty()) headers_.insert(name);  // of one without fields nothing is listed
    add_field(name + validity(), 1, std::string(dataplane::valid_bits_header), false, false);
    for_fields(name, type, [&](const std::string& field, const p4lang::Type& of) {
      if (!field.ends_with(validity())) add_field(field, width_of(of), name, false, false);
    });
  }

  std::set<std::string> named_fields() const {
    std::set<std::string> out;
    for (const auto& object : out_.design.objects) {
      if (object.gress != gress()) continue;
      const auto named = dataplane::fields_of(object);
      for (const auto* names : {&named.reads, &named.uses, &named.writes})
        out.insert(names->begin(), names->end());
    }
    return out;
  }

  /// Names of objects beside headers, and data that goes from the parser to the deparser.
  void add_metadata() {
    const Block& control = *blocks_.control;
    std::map<std::string, std::uint32_t> widths;
    for (const auto& v : control.variables) {
      for_fields(v.name, *v.type, [&](const std::string& field, const p4lang::Type& type) {
        widths[field] = width_of(type);
      });
    }
    const auto any = [](const std::set<std::string>& names, const std::string& field) {
      return std::ranges::any_of(names, [&](const auto& n) { return overlap(n, field); });
    };
    for (const auto& name : named_fields()) {
      const auto width = widths.find(name);
      bool parsed = any(edges_.parsed, name), deparsed = any(edges_.deparsed, name);
      for (std::size_t i = 2; i < control.parameters; ++i) {
        if (!overlap(control.variables[i].name, name)) continue;
        (control.variables[i].direction == p4lang::Direction::in ? parsed : deparsed) = true;
      }
      add_field(name, width == widths.end() ? 1 : width->second, "", parsed, deparsed);
    }
  }

  void add_states() {
    const Block& parser = *blocks_.parser;
    std::vector<dataplane::ParserState> states;
    std::uint64_t all = 0;
    for (const auto& state : parser.states) {
      dataplane::ParserState s;
      s.name = state.name;
      s.gress = gress();
      s.where = location_of(program_, state.place);
      for_statements(state.statements, [&](const Stmt& statement) {
        for_calls(statement.value, [&](const Expr& call) {
          if (call.callee != Callee::extract) return;
          const std::string name =
              name_in(name_of(call.operands[0], parser), parser, *blocks_.control);
          if (headers_.contains(name)) s.extracts.push_back(name);
        });
      });
      std::uint32_t rows = 0;
      for (const auto& c : state.cases) {
        const bool set = std::ranges::any_of(
            c.keys, [](const auto& k) { return k.kind == p4lang::SetKind::value_set; });
        rows += set ? 0 : 1;
        if (c.next >= parser.states.size()) continue;
        const std::string& next = parser.states[c.next].name;
        if (std::ranges::find(s.next, next) == s.next.end()) s.next.push_back(next);
      }
      s.rows = std::max(1u, rows);
      all += s.rows;
      states.push_back(std::move(s));
    }
    if (all > chip_.parser.rows && chip_.parser.rows > 0) {
      out_.notes.push_back({"",
                            fmt::format("the {} parser is not priced: {} rows before states are "
                                        "merged, the chip has {}",
                                        gress_name(gress()), all, chip_.parser.rows),
                            location_of(program_, parser.place)});
      parser_priced_ = false;
      return;
    }
    std::move(states.begin(), states.end(), std::back_inserter(out_.design.parser));
    add_value_sets(parser);
  }

  void add_value_sets(const Block& parser) {
    for (std::uint32_t i = 0; i < parser.value_sets.size(); ++i) {
      const auto& set = parser.value_sets[i];
      dataplane::ValueSetSpec spec;
      spec.name = without_pipe(set.name, out_.pipe);
      spec.gress = gress();
      spec.key_bits = std::max(1u, width_of(*set.type));
      spec.entries = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(set.size, 1, 65536));
      spec.where = location_of(program_, set.place);
      for (const auto& state : parser.states) {
        const bool compares = std::ranges::any_of(state.cases, [&](const auto& c) {
          return std::ranges::any_of(c.keys, [&](const auto& k) {
            return k.kind == p4lang::SetKind::value_set && k.index == i;
          });
        });
        if (compares) spec.states.push_back(state.name);
      }
      if (spec.states.empty() || out_.design.declares(spec.name)) continue;
      out_.design.value_sets.push_back(std::move(spec));
    }
  }

  /// A checksum of the parser, with what each of its states does.
  struct Sum {
    dataplane::ChecksumSpec spec;
    std::map<std::string, std::string> of_state;
  };

  /// Residual sums of which all common states do the same are one sum there (p4c
  /// parde/allocate_parser_checksum.cpp is_equiv): of TCP and UDP over the same addresses, say.
  static void join_residuals(std::map<std::uint32_t, Sum>& sums) {
    const auto alike = [](const Sum& a, const Sum& b) {
      bool common = false;
      for (const auto& [state, does] : a.of_state) {
        const auto other = b.of_state.find(state);
        if (other == b.of_state.end()) continue;
        common = true;
        if (other->second != does) return false;
      }
      return common && a.spec.use == dataplane::ChecksumUse::residual && b.spec.use == a.spec.use;
    };
    for (auto a = sums.begin(); a != sums.end(); ++a) {
      for (auto b = std::next(a); b != sums.end();) {
        if (!alike(a->second, b->second)) {
          ++b;
          continue;
        }
        for (const auto& [state, does] : b->second.of_state) {
          if (a->second.of_state.emplace(state, does).second)
            a->second.spec.states.push_back(state);
        }
        b = sums.erase(b);
      }
    }
  }

  std::string text_of_call(const Expr& call) const {
    std::string out = call.name;
    for (const Expr& e : call.operands)
      for_names(e, *blocks_.parser, [&](const std::string& name) { out += " " + name; });
    return out;
  }

  /// Sums of the parser by object, updates of the deparser by statement.
  void add_checksums() {
    std::map<std::uint32_t, Sum> sums;
    if (blocks_.parser != nullptr) {
      for (const auto& state : blocks_.parser->states) {
        for_statements(state.statements, [&](const Stmt& s) {
          for_calls(s.value, [&](const Expr& call) {
            if (!is_checksum(call, program_)) return;
            auto& [sum, of_state] = sums[call.index];
            of_state[state.name] += text_of_call(call) + ";";
            sum.use = call.name == "verify" ? dataplane::ChecksumUse::verify
                      : call.name == "get" || call.name == "subtract_all_and_deposit"
                          ? dataplane::ChecksumUse::residual
                          : sum.use;
            if (std::ranges::find(sum.states, state.name) == sum.states.end())
              sum.states.push_back(state.name);
          });
        });
      }
    }
    join_residuals(sums);
    for (auto& [object, one] : sums) {
      auto& sum = one.spec;
      if (!parser_priced_) sum.states.clear();
      sum.name = without_pipe(program_.externs.at(object).name, out_.pipe);
      sum.gress = gress();
      sum.where = location_of(program_, program_.externs.at(object).place);
      if (!out_.design.declares(sum.name)) out_.design.checksums.push_back(std::move(sum));
    }
    if (blocks_.deparser == nullptr) return;
    const Block& deparser = *blocks_.deparser;
    for_statements(deparser.body, [&](const Stmt& s) {
      for_calls(s.value, [&](const Expr& call) {
        if (!is_checksum(call, program_) || call.name != "update") return;
        dataplane::ChecksumSpec update;
        const std::string base = without_pipe(program_.externs.at(call.index).name, out_.pipe);
        update.name = base;
        for (int i = 2; out_.design.declares(update.name); ++i)
          update.name = fmt::format("{}#{}", base, i);
        update.gress = gress();
        update.use = dataplane::ChecksumUse::update;
        update.where = location_of(program_, s.place);
        for_names(call.operands[0], deparser, [&](const std::string& name) {
          const std::string field = name_in(name, deparser, *blocks_.control);
          if (listed_.contains(field)) update.over.push_back(field);
        });
        out_.design.checksums.push_back(std::move(update));
      });
    });
  }

  const p4lang::Program& program_;
  const GressBlocks& blocks_;
  const dataplane::ChipSpec& chip_;
  PipeDesign& out_;
  Edges edges_;
  std::set<std::string> listed_, headers_;
  bool parser_priced_ = true;
};

}  // namespace

std::string name_in(const std::string& name, const Block& from, const Block& to) {
  if (name.empty()) return name;
  const auto end = name.find_first_of(".[");
  const std::string first = name.substr(0, end);
  for (std::size_t i = 0; i < from.parameters; ++i) {
    if (from.variables[i].name != first) continue;
    for (std::size_t k = 0; k < to.parameters; ++k) {
      if (role_of(to, k) != role_of(from, i)) continue;
      return to.variables[k].name + (end == std::string::npos ? "" : name.substr(end));
    }
  }
  return name;
}

Edges edges_of(const p4lang::Program&, const GressBlocks& blocks) {
  Edges out;
  const Block& control = *blocks.control;
  if (blocks.parser != nullptr) {
    const Block& parser = *blocks.parser;
    const auto statement = [&](const Stmt& s) {
      if (s.kind == StmtKind::assign) {
        Expr base = s.target;
        while (base.kind == ExprKind::slice) base = Expr(base.operands[0]);
        const std::string name = name_of(base, parser);
        // A zero is there anyway.
        const bool zero = s.value.kind == ExprKind::constant && s.value.value == 0;
        if (!name.empty() && !zero) out.parsed.insert(name_in(name, parser, control));
      }
      for_calls(s.value, [&](const Expr& call) {
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
          const std::string name = name_of(call.operands[i], parser);
          if (name.empty()) continue;
          if (call.callee == Callee::extract && i == 0) {
            out.extracted.insert(name_in(name, parser, control));
            out.parsed.insert(name_in(name, parser, control));
          }
          if (i < call.is_out.size() && call.is_out[i])
            out.parsed.insert(name_in(name, parser, control));
        }
      });
    };
    for_statements(parser.prologue, statement);
    for (const auto& state : parser.states) for_statements(state.statements, statement);
  }
  if (blocks.deparser != nullptr) {
    const Block& deparser = *blocks.deparser;
    for_statements(deparser.body, [&](const Stmt& s) {
      for_names(s.value, deparser, [&](const std::string& name) {
        const bool emitted = s.value.callee == Callee::emit;
        (emitted ? out.emitted : out.deparsed).insert(name_in(name, deparser, control));
      });
      for_calls(s.value, [&](const Expr& call) {
        if (call.callee == Callee::is_valid)
          out.deparsed.insert(name_in(name_of(call.operands[0], deparser), deparser, control) +
                              validity());
      });
    });
  }
  return out;
}

void add_header_vector(const p4lang::Program& program, const GressBlocks& blocks,
                       const dataplane::ChipSpec& chip, PipeDesign& out) {
  VectorBuilder(program, blocks, chip, out).run();
}

}  // namespace horae::p4price
