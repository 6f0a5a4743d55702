// Programs in memory for tests of the front end.
#pragma once

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>

#include "horae/p4lang/compile.hpp"

namespace horae::p4lang {

using Files = std::map<std::string, std::string>;

inline Options memory_options(Files files, Target target = Target::tofino) {
  Options out;
  out.target = target;
  out.shipped = shipped_p4;
  out.read = [files = std::move(files)](const std::string& name) -> std::optional<std::string> {
    const auto it = files.find(name);
    return it == files.end() ? std::nullopt : std::optional(it->second);
  };
  return out;
}

inline Program compiled(const std::string& text, Target target = Target::tofino) {
  return compile("a.p4", memory_options({{"a.p4", text}}, target));
}

/// Parts of a whole program that a test does not write itself. Line 1 has the include and the
/// headers; what the test gives begins at line 2.
struct Parts {
  std::string declarations = {};  ///< of the program
  std::string states = "state start { pkt.extract(hdr.a); transition accept; }";
  std::string parser_locals = {};
  std::string locals = {};  ///< of the ingress control
  std::string apply = {};   ///< its apply block
  std::string deparser = "apply { pkt.emit(hdr); }";
};

inline std::string whole(const Parts& p) {
  return fmt::format(
      R"(#include <{}>
{}
header a_h {{ bit<8> x; bit<16> y; bit<32> z; int<8> s; bit<9> port; bit<7> pad; }}
header b_h {{ bit<8> kind; bit<8> length; }}
struct headers_t {{ a_h a; b_h b; b_h[3] stack; }}
struct md_t {{ bit<8> m; bit<16> n; bool flag; bit<64> wide; }}
parser P(packet_in pkt, out headers_t hdr, out md_t md, out ingress_intrinsic_metadata_t im) {{
  {}
  {}
}}
control I(inout headers_t hdr, inout md_t md, in ingress_intrinsic_metadata_t im,
          in ingress_intrinsic_metadata_from_parser_t pm,
          inout ingress_intrinsic_metadata_for_deparser_t dm,
          inout ingress_intrinsic_metadata_for_tm_t tm) {{
  {}
  apply {{ {} }}
}}
control D(packet_out pkt, inout headers_t hdr, in md_t md,
          in ingress_intrinsic_metadata_for_deparser_t dm) {{
  {}
}}
struct none_t {{}}
parser EP(packet_in pkt, out none_t hdr, out none_t md, out egress_intrinsic_metadata_t em) {{
  state start {{ transition accept; }}
}}
control E(inout none_t hdr, inout none_t md, in egress_intrinsic_metadata_t em,
          in egress_intrinsic_metadata_from_parser_t pm,
          inout egress_intrinsic_metadata_for_deparser_t dm,
          inout egress_intrinsic_metadata_for_output_port_t om) {{ apply {{}} }}
control ED(packet_out pkt, inout none_t hdr, in none_t md,
           in egress_intrinsic_metadata_for_deparser_t dm) {{ apply {{}} }}
Pipeline(P(), I(), D(), EP(), E(), ED()) pipe;
Switch(pipe) main;
)",
      "tna.p4", p.declarations, p.parser_locals, p.states, p.locals, p.apply, p.deparser);
}

/// A program for Tofino that has these parts.
inline Program program_of(const Parts& parts) { return compiled(whole(parts)); }

/// The ingress control of a program that applies these statements, with these locals.
inline Block ingress_of(const std::string& apply, const std::string& locals = {}) {
  static Program program;  // owns the types
  program = program_of({.locals = locals, .apply = apply});
  return *program.block(program.pipes.at(0), "ingress");
}

/// The value that an expression of the ingress control is assigned as: what `T v = e;` gives.
inline Expr value_of(const std::string& type, const std::string& expression) {
  return ingress_of(fmt::format("{} v = {};", type, expression)).body.at(0).value;
}

/// The faults of a text, each "line:column: message"; none for one that is taken.
inline std::vector<std::string> faults_of(const std::string& text) {
  std::vector<std::string> out;
  try {
    compiled(text);
  } catch (const ProgramError& e) {
    for (const Fault& f : e.faults())
      out.push_back(fmt::format("{}:{}: {}", f.line, f.column, f.message));
  }
  return out;
}

/// The first fault's message where statements stand in the ingress control; empty for none.
inline std::string fault_in(const std::string& apply, const std::string& locals = {}) {
  const auto all = faults_of(whole({.locals = locals, .apply = apply}));
  return all.empty() ? "" : all[0].substr(all[0].find(": ") + 2);
}

}  // namespace horae::p4lang
