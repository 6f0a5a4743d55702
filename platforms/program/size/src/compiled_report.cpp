// Both accounts of compiled programs as JSON and as text.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "horae/size/compiled.hpp"
#include "quantities.hpp"

namespace horae::size {
namespace {

using nlohmann::ordered_json;

std::string figure(double v) { return fmt::format("{:.10g}", v); }

/// The same value where the design is placed as the compiler's placer would.
ordered_json as_compiler(const CompiledDesign& d, const Comparison& c) {
  const auto value = quantity_of(d.sized.beside->as_compiler, c.id, c.quantity);
  return value ? ordered_json(*value) : ordered_json();
}

const dataplane::PipelineAmount* of_pipeline(const CompiledDesign& d, const std::string& name) {
  const auto found = std::ranges::find_if(
      d.compiler_pipeline, [&](const dataplane::PipelineAmount& a) { return a.name == name; });
  return found == d.compiler_pipeline.end() ? nullptr : &*found;
}

/// The compiler's amounts of the whole pipeline with ours: of containers with and without metadata
/// that shares them.
std::string pipeline_table(const CompiledDesign& d) {
  if (d.compiler_pipeline.empty()) return {};
  std::string out =
      fmt::format("\n  {:<30}{:>8}{:>10}{:>10}{:>10}{:>10}\n", "of the whole pipeline", "shared",
                  "unshared", "compiler", "of chip", "per cent");
  for (const auto& theirs : d.compiler_pipeline) {
    const auto& amounts = d.sized.ledger.pipeline;
    const auto ours =
        std::ranges::find_if(amounts, [&](const auto& a) { return a.name == theirs.name; });
    const bool known = ours != amounts.end();
    out += fmt::format("  {:<30}{:>8}{:>10}{:>10}", theirs.title,
                       known ? fmt::format("{}", ours->used) : "",
                       known ? fmt::format("{}", ours->most) : "", theirs.used);
    out += theirs.capacity == 0
               ? "\n"
               : fmt::format("{:>10}{:>9.2f}%\n", theirs.capacity, theirs.percent());
  }
  return out;
}

/// Table of units that the compiler used and that have no price here.
std::string unpriced_table(const CompiledDesign& d) {
  if (d.unpriced.empty()) return {};
  std::string out =
      fmt::format("\n  {:<30}{:>8}{:>15}{:>10}{:>10}\n", "not priced here, compiler's", "used",
                  "fullest stage", "has", "of");
  for (const auto& u : d.unpriced) {
    out += fmt::format("  {:<30}{:>8}{:>15}{:>10}{:>10}\n", u.title, u.used,
                       u.used == 0 ? "" : fmt::format("{}", u.stage), u.fullest, u.capacity);
  }
  return out;
}

ordered_json unpriced_json(const CompiledDesign& d) {
  auto out = ordered_json::object();
  for (const auto& u : d.unpriced) {
    out[u.name] = {
        {"used", u.used}, {"fullest", u.fullest}, {"stage", u.stage}, {"capacity", u.capacity}};
  }
  return out;
}

std::string program_table(const CompiledDesign& d) {
  std::string out = fmt::format("  {:<18}{:>8}{:>16}{:>10}\n", "of the program", "ours",
                                "as the compiler", "compiler");
  for (const auto& c : d.sized.comparisons) {
    if (!c.id.empty() || of_pipeline(d, c.quantity) != nullptr) continue;
    const auto as = quantity_of(d.sized.beside->as_compiler, "", c.quantity);
    const bool equal = as && *as == c.reference;
    out += fmt::format("  {:<18}{:>8}{:>16}{:>10}{}\n", c.quantity,
                       c.ours ? figure(*c.ours) : "nothing", as ? figure(*as) : "nothing",
                       figure(c.reference),
                       c.agrees() && equal ? ""
                       : c.agrees()        ? "  ours is equal"
                       : equal             ? "  as the compiler is equal"
                                           : "  differs");
  }
  return out;
}

/// A line per object that lies elsewhere.
std::string stage_table(const CompiledDesign& d) {
  std::string out;
  std::size_t equal = 0, width = 6;
  const auto list = [](const std::vector<unsigned>& stages) {
    return stages.empty() ? std::string("none") : fmt::format("{}", fmt::join(stages, ", "));
  };
  for (const auto& s : d.stages) width = std::max(width, s.object.size());
  for (const auto& s : d.stages) {
    if (s.as_compiler == s.compiler) {
      ++equal;
      continue;
    }
    out += fmt::format("  {:<{}}  {:>12}{:>16}{:>12}{}\n", s.object, width, list(s.ours),
                       list(s.as_compiler), list(s.compiler),
                       s.ours == s.compiler ? "  ours is equal" : "  differs");
  }
  std::string head =
      fmt::format("  objects in the compiler's stages, placed as the compiler: {} of {}\n", equal,
                  d.stages.size());
  if (!out.empty())
    head += fmt::format("\n  {:<{}}  {:>12}{:>16}{:>12}\n", "stages", width, "ours",
                        "as the compiler", "compiler");
  return head + out;
}

/// A line per object whose memories or ALUs differ.
std::string object_table(const CompiledDesign& d) {
  std::string out;
  std::size_t equal = 0, all = 0, width = 0;
  for (const auto& c : d.sized.comparisons) width = std::max(width, c.id.size());
  for (const auto& c : d.sized.comparisons) {
    if (c.id.empty() || (c.reference == 0 && c.ours && *c.ours == 0)) continue;
    ++all;
    equal += c.agrees() ? 1 : 0;
    if (c.agrees()) continue;
    out += fmt::format("  {:<{}}  {:<16}{:>8}{:>10}  differs\n", c.id, width, c.quantity,
                       c.ours ? figure(*c.ours) : "nothing", figure(c.reference));
  }
  return fmt::format("  memories and ALUs of objects: {} of {} values equal{}\n", equal, all,
                     out.empty() ? ""
                                 : fmt::format("\n  {:<{}}  {:<16}{:>8}{:>10}\n", "object", width,
                                               "quantity", "ours", "compiler") +
                                       out);
}

}  // namespace

ordered_json compiled_json(const std::string& from, const std::vector<CompiledDesign>& designs,
                           bool by_stage) {
  ordered_json out = {{"schema", 1}, {"file", from}};
  out["pipelines"] = ordered_json::array();
  out["refused"] = ordered_json::array();
  out["validation"] = ordered_json::array();
  out["placed"] = ordered_json::array();
  out["notes"] = ordered_json::array();
  for (const auto& d : designs) {
    auto pipeline = ledger_json(d.sized.ledger, by_stage);
    pipeline["chip"] = d.sized.ledger.chip;
    add_beside(*d.sized.beside, pipeline, by_stage);
    if (d.compiled) {
      pipeline["pipe"] = d.pipe;
      pipeline["compiler"] = {{"version", d.compiler},
                              {"stages", d.compiler_stages},
                              {"fits", d.compiler_fits},
                              {"pipeline_resources", dataplane::pipeline_json(d.compiler_pipeline)},
                              {"tightest", dataplane::tightest_json(d.compiler_tightest)},
                              {"not_priced", unpriced_json(d)}};
    } else {
      pipeline["stages_are_a_bound"] = true;
    }
    out["pipelines"].push_back(std::move(pipeline));
    for (auto& r : refusals_json(d.sized.ledger.refused)) {
      r["design"] = d.sized.ledger.name;
      out["refused"].push_back(r);
    }
    for (const auto& c : d.sized.comparisons) {
      out["validation"].push_back({{"design", d.sized.ledger.name},
                                   {"id", c.id},
                                   {"quantity", c.quantity},
                                   {"published", c.reference},
                                   {"ours", c.ours ? ordered_json(*c.ours) : ordered_json()},
                                   {"as_compiler", as_compiler(d, c)},
                                   {"equal", c.agrees()},
                                   {"source", c.source}});
    }
    for (const auto& s : d.stages) {
      out["placed"].push_back({{"design", d.sized.ledger.name},
                               {"object", s.object},
                               {"ours", s.ours},
                               {"as_compiler", s.as_compiler},
                               {"compiler", s.compiler}});
    }
    for (const auto& n : d.notes) {
      out["notes"].push_back({{"design", d.sized.ledger.name},
                              {"object", n.object},
                              {"note", n.text},
                              {"left_out", n.left_out}});
    }
  }
  return out;
}

std::string compiled_text(const std::vector<CompiledDesign>& designs, bool by_stage) {
  std::string out;
  for (const auto& d : designs) {
    if (!out.empty()) out += "\n";
    out += ledger_text(d.sized.ledger, by_stage);
    out += beside_text(*d.sized.beside, d.sized.ledger.stages_used());
    if (!d.sized.ledger.refused.empty()) {
      out += fmt::format("\nDoes not fit {}:\n", d.sized.ledger.chip);
      out += refusals_text(d.sized.ledger.refused);
    }
    if (!d.compiled) {
      out += fmt::format(
          "\n  P4Info does not say what comes after what: {} stages are a bound, set by "
          "resources alone\n",
          d.sized.ledger.stages_used());
    } else {
      out += fmt::format("\nBeside the compiler's own ({}):\n", d.source.source);
      out += program_table(d);
      out += pipeline_table(d);
      out += unpriced_table(d);
      out += dataplane::tightest_text("tightest as the compiler placed it", d.compiler_tightest);
      out += object_table(d);
      out += stage_table(d);
    }
    if (!d.compiler_fits)
      out += fmt::format("  the compiler used {} stages, which its chip does not have\n",
                         d.compiler_stages);
    if (!d.notes.empty()) out += "\nNot taken as it is:\n";
    for (const auto& n : d.notes) {
      out += fmt::format("  {}{}{}{}\n", n.object, n.object.empty() ? "" : ": ",
                         n.left_out ? "left out: " : "", n.text);
    }
  }
  return out;
}

}  // namespace horae::size
