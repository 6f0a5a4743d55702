// Small programs of one header, and cases for them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "compiled_library.hpp"
#include "horae/core/error.hpp"
#include "horae/p4lang/compile.hpp"
#include "horae/p4lang/shipped_p4.hpp"
#include "horae/p4prog/stf.hpp"

namespace horae::p4prog::test {

/// Parts of a program that differ from test to test.
struct Parts {
  std::string headers =
      "header data_h { bit<32> f1; bit<32> f2; bit<16> h1; bit<8> b1; bit<8> b2; }\n"
      "struct headers { data_h data; }\n"
      "struct metadata { bit<16> m1; bit<32> m2; }\n";
  std::string parse = "pkt.extract(hdr.data); transition accept; }\n";  ///< behind the port's
                                                                        ///< metadata
  std::string parser_locals = "";
  std::string locals = "";  ///< of the ingress control
  std::string apply = "ig_tm_md.ucast_egress_port = 2;";
  std::string deparse = "pkt.emit(hdr);";
  std::string deparser_locals = "";
  std::string egress_headers = "struct eg_headers { } struct eg_metadata { }\n";
  std::string egress_parse = "pkt.extract(eg_intr_md); transition accept; }\n";
  std::string egress_locals = "";
  std::string egress_apply = "";
  std::string egress_deparse = "pkt.emit(hdr);";
  bool tofino2 = false;
};

inline std::string text_of(const Parts& p) {
  return std::string(p.tofino2 ? "#include <t2na.p4>\n" : "#include <tna.p4>\n") + p.headers +
         p.egress_headers +
         "parser IgParser(packet_in pkt, out headers hdr, out metadata md,\n"
         "                out ingress_intrinsic_metadata_t ig_intr_md) {\n" +
         p.parser_locals +
         "  state start { pkt.extract(ig_intr_md); pkt.advance(PORT_METADATA_SIZE);\n" + p.parse +
         "}\n"
         "control Ig(inout headers hdr, inout metadata md,\n"
         "           in ingress_intrinsic_metadata_t ig_intr_md,\n"
         "           in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,\n"
         "           inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,\n"
         "           inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {\n" +
         p.locals + "  apply {\n" + p.apply +
         "  }\n}\n"
         "control IgDeparser(packet_out pkt, inout headers hdr, in metadata md,\n"
         "                   in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {\n" +
         p.deparser_locals + "  apply {\n" + p.deparse +
         "  }\n}\n"
         "parser EgParser(packet_in pkt, out eg_headers hdr, out eg_metadata md,\n"
         "                out egress_intrinsic_metadata_t eg_intr_md) {\n"
         "  state start {\n" +
         p.egress_parse +
         "}\n"
         "control Eg(inout eg_headers hdr, inout eg_metadata md,\n"
         "           in egress_intrinsic_metadata_t eg_intr_md,\n"
         "           in egress_intrinsic_metadata_from_parser_t eg_prsr_md,\n"
         "           inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,\n"
         "           inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {\n" +
         p.egress_locals + "  apply {\n" + p.egress_apply +
         "  }\n}\n"
         "control EgDeparser(packet_out pkt, inout eg_headers hdr, in eg_metadata md,\n"
         "                   in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {\n"
         "  apply {\n" +
         p.egress_deparse +
         "  }\n}\n"
         "Pipeline(IgParser(), Ig(), IgDeparser(), EgParser(), Eg(), EgDeparser()) pipe;\n"
         "Switch(pipe) main;\n";
}

/// A program on a switch, and what came of a case.
struct Bench {
  explicit Bench(const Parts& parts) : Bench(text_of(parts), parts.tofino2, {}) {}
  struct Unwritten {
    bool watch_unwritten = false, random_unwritten = false;
    std::uint64_t seed = 1;
  };
  Bench(const std::string& text, bool tofino2, const Unwritten& unwritten, bool compile = false) {
    p4lang::Options options;
    options.target = tofino2 ? p4lang::Target::tofino2 : p4lang::Target::tofino;
    options.shipped = p4lang::shipped_p4;
    options.read = [&](const std::string& name) {
      return name == "case.p4" ? std::optional(text) : std::nullopt;
    };
    program = std::make_unique<p4lang::Program>(p4lang::compile("case.p4", options));
    SwitchOptions chip_options = SwitchOptions::of(tofino2);
    chip_options.watch_unwritten = unwritten.watch_unwritten;
    chip_options.random_unwritten = unwritten.random_unwritten;
    chip_options.seed = unwritten.seed;
    if (compile) chip_options.compiled = CompiledLibrary({program.get()})[0];
    chip = std::make_unique<P4Switch>(*program, chip_options);
  }
  /// The faults of a case, one a line.
  std::string faults(const std::string& stf) {
    std::string out;
    for (const StfFault& f : run_stf(*chip, "case.stf", stf).faults)
      out += std::to_string(f.line) + ": " + f.message + "\n";
    return out;
  }

  std::unique_ptr<p4lang::Program> program;
  std::unique_ptr<P4Switch> chip;
};

/// Faults of a case. Passes that are watched for unwritten reads run other code: they have to end
/// as the others do. So do compiled programs; as a compiler takes seconds for each, they are asked
/// where HORAE_P4_COMPILED is set.
inline std::string faults_of(const Parts& parts, const std::string& stf) {
  const std::string faults = Bench(parts).faults(stf);
  const std::string watched =
      Bench(text_of(parts), parts.tofino2, {.watch_unwritten = true}).faults(stf);
  if (std::getenv("HORAE_P4_COMPILED") != nullptr) {
    const std::string compiled = Bench(text_of(parts), parts.tofino2, {}, true).faults(stf);
    if (compiled != faults) return faults + "compiled:\n" + compiled;
  }
  return faults == watched ? faults : faults + "watched:\n" + watched;
}

/// The line by which a program or a case is refused.
inline std::string refusal_of(const Parts& parts, const std::string& stf = "") {
  try {
    Bench(parts).faults(stf);
  } catch (const InputError& e) {
    return e.what();
  }
  return "nothing was refused";
}

}  // namespace horae::p4prog::test
