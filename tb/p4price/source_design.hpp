// Small P4 programs, and the designs they become.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "horae/core/error.hpp"
#include "horae/dataplane/price/priced.hpp"
#include "horae/p4lang/compile.hpp"
#include "horae/p4lang/shipped_p4.hpp"
#include "horae/p4price/price_program.hpp"

namespace horae::p4price::test {

/// Parts of a program that differ from test to test.
struct Parts {
  std::string locals = "";  ///< of the ingress control
  std::string apply = "";
  std::string egress_locals = "";
  std::string egress_apply = "";
  std::string types = "";    ///< of headers beside `h`
  std::string headers = "";  ///< members of the struct of headers, beside `h`
  std::string before = "";   ///< declarations in front of the ingress control
  std::string parser_locals = "";
  std::string parse = "transition accept;";  ///< of the ingress parser, behind the header
  std::string states = "";
  bool tofino2 = true;
  std::string egress_parse = "transition accept;";  ///< behind the header
};

inline std::string text_of(const Parts& p) {
  return std::string(p.tofino2 ? "#include <t2na.p4>\n" : "#include <tna.p4>\n") +
         "header data_h { bit<32> a; bit<32> b; bit<32> c; bit<16> d; bit<16> e; bit<8> f; bit<8> "
         "g; }\n" +
         p.types + "struct headers { data_h h; " + p.headers +
         " }\n"
         "struct pair { bit<32> lo; bit<32> hi; }\n"
         "struct metadata { bit<32> x; bit<32> y; bit<16> z; bit<16> index; bit<8> w; bit<1> flag; "
         "}\n"
         "parser IgParser(packet_in pkt, out headers hdr, out metadata md,\n"
         "                out ingress_intrinsic_metadata_t ig_intr_md) {\n" +
         p.parser_locals +
         "  state start { pkt.extract(ig_intr_md); pkt.advance(PORT_METADATA_SIZE);\n"
         "    pkt.extract(hdr.h); " +
         p.parse + " }\n" + p.states + "}\n" + p.before +
         "control Ig(inout headers hdr, inout metadata md,\n"
         "           in ingress_intrinsic_metadata_t ig_intr_md,\n"
         "           in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,\n"
         "           inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,\n"
         "           inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {\n" +
         p.locals + "\n  apply {\n" + p.apply +
         "\n  }\n}\n"
         "control IgDeparser(packet_out pkt, inout headers hdr, in metadata md,\n"
         "                   in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {\n"
         "  apply { pkt.emit(hdr); }\n}\n"
         "parser EgParser(packet_in pkt, out headers hdr, out metadata md,\n"
         "                out egress_intrinsic_metadata_t eg_intr_md) {\n"
         "  state start { pkt.extract(eg_intr_md); pkt.extract(hdr.h); " +
         p.egress_parse +
         " }\n}\n"
         "control Eg(inout headers hdr, inout metadata md,\n"
         "           in egress_intrinsic_metadata_t eg_intr_md,\n"
         "           in egress_intrinsic_metadata_from_parser_t eg_prsr_md,\n"
         "           inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,\n"
         "           inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {\n" +
         p.egress_locals + "\n  apply {\n" + p.egress_apply +
         "\n  }\n}\n"
         "control EgDeparser(packet_out pkt, inout headers hdr, in metadata md,\n"
         "                   in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {\n"
         "  apply { pkt.emit(hdr); }\n}\n"
         "Pipeline(IgParser(), Ig(), IgDeparser(), EgParser(), Eg(), EgDeparser()) pipe;\n"
         "Switch(pipe) main;\n";
}

inline dataplane::ChipSpec chip_of(const Parts& parts) {
  return dataplane::ChipSpec::find({parts.tofino2 ? "tofino2" : "tofino1", {}});
}

inline PipeDesign design_of(const Parts& parts, const Sizes& sizes = {}) {
  const std::string text = text_of(parts);
  p4lang::Options options;
  options.target = parts.tofino2 ? p4lang::Target::tofino2 : p4lang::Target::tofino;
  options.shipped = p4lang::shipped_p4;
  options.read = [&](const std::string& name) {
    return name == "case.p4" ? std::optional(text) : std::nullopt;
  };
  const auto program = p4lang::compile("case.p4", options);
  return designs_of(program, chip_of(parts), sizes).front();
}

/// The ledger as the open compiler's placer fills the stages.
inline dataplane::Ledger compiled(const Parts& parts, const Sizes& sizes = {}) {
  return dataplane::price_beside(design_of(parts, sizes).design, chip_of(parts)).as_compiler;
}

/// The line by which a program is refused.
inline std::string refusal_of(const Parts& parts) {
  try {
    design_of(parts);
  } catch (const InputError& e) {
    return e.what();
  }
  return "nothing was refused";
}

}  // namespace horae::p4price::test
