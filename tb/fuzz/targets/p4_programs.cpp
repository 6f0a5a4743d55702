// P4 programs: preprocessor, reader, elaboration. The first byte chooses the target, whether the
// rest of a whole program stands around the input, and whether that is of an architecture of few
// lines: reading all of the shipped one takes 12 times the instructions of the rest.
#include "../target.hpp"
#include "horae/p4lang/compile.hpp"

namespace {

using namespace horae;
using p4lang::Block;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Program;
using p4lang::Stmt;

/// Holds the indices of a program against their lists.
class Indices {
 public:
  Indices(const Program& program, const Block& block) : program_(program), block_(block) {}

  void expression(const Expr& e) const {
    fuzz::require(e.type != nullptr, "every expression has a type");
    if (e.kind == ExprKind::variable) within(e.index, block_.variables.size());
    if (e.kind == ExprKind::field) within(e.index, e.operands.at(0).type->fields.size());
    if (e.kind == ExprKind::table_hit) within(e.index, block_.tables.size());
    if (e.kind == ExprKind::instance && e.index != p4lang::no_block)
      within(e.index, program_.externs.size());
    if (e.kind == ExprKind::call && e.callee == p4lang::Callee::function)
      within(e.index, block_.functions.size());
    if (e.kind == ExprKind::call && e.callee == p4lang::Callee::apply_table)
      within(e.index, block_.tables.size());
    if (e.kind == ExprKind::slice)
      fuzz::require(e.high >= e.low && e.high < width_of(*e.operands.at(0).type),
                    "slices lie in their value");
    for (const Expr& part : e.operands) expression(part);
  }
  void statements(const std::vector<Stmt>& all) const {
    for (const Stmt& s : all) {
      if (s.target.type != nullptr) expression(s.target);
      if (s.value.type != nullptr) expression(s.value);
      statements(s.body);
      statements(s.otherwise);
      for (const auto& c : s.cases) statements(c.body);
    }
  }
  void block() const {
    statements(block_.prologue);
    statements(block_.body);
    for (const auto& f : block_.functions) statements(f.body);
    for (const auto& t : block_.tables) table(t);
    for (const auto& s : block_.states) {
      statements(s.statements);
      for (const auto& c : s.cases) {
        if (c.next < p4lang::reject_state) within(c.next, block_.states.size());
      }
    }
  }

 private:
  void within(std::size_t index, std::size_t size) const {
    fuzz::require(index < size, "indices lie in their lists");
  }
  void table(const p4lang::Table& t) const {
    for (const auto& k : t.keys) expression(k.value);
    for (const auto& a : t.actions) within(a.function, block_.functions.size());
    within(t.default_action.action, t.actions.size());
    for (const auto& e : t.entries) {
      within(e.action.action, t.actions.size());
      fuzz::require(e.keys.size() == t.keys.size(), "an entry has a set for each key");
    }
  }

  const Program& program_;
  const Block& block_;
};

constexpr std::string_view few_lines = R"(
error { NoError, PacketTooShort, NoMatch }
match_kind { exact, ternary, lpm }
extern packet_in { void extract<T>(out T h); void extract<T>(out T h, in bit<32> n);
  T lookahead<T>(); void advance(in bit<32> n); bit<32> length(); }
extern packet_out { void emit<T>(in T h); }
extern void verify(in bool holds, in error otherwise);
action NoAction() {}
match_kind { range, selector }
typedef bit<9> PortId_t;
enum HashAlgorithm_t { IDENTITY, CRC8, CRC16, CRC32 }
header ingress_intrinsic_metadata_t { bit<7> pad; PortId_t ingress_port; }
struct ingress_intrinsic_metadata_for_tm_t { PortId_t ucast_egress_port; bit<5> qid; }
struct ingress_intrinsic_metadata_from_parser_t { bit<16> parser_err; }
struct ingress_intrinsic_metadata_for_deparser_t { bit<3> drop_ctl; bit<3> mirror_type; }
header egress_intrinsic_metadata_t { bit<7> pad; PortId_t egress_port; }
struct egress_intrinsic_metadata_from_parser_t { bit<16> parser_err; }
struct egress_intrinsic_metadata_for_deparser_t { bit<3> drop_ctl; }
struct egress_intrinsic_metadata_for_output_port_t { bit<1> capture_tstamp_on_tx; }
extern Hash<W> { Hash(HashAlgorithm_t a); W get<D>(in D data); }
extern Mirror { Mirror(); void emit<T>(in bit<10> session, in T h); }
extern Register<T, I> { Register(bit<32> size, @optional T initial); T read(in I i);
  T write(in I i, in T value); }
extern RegisterAction<T, I, U> { RegisterAction(Register<T, _> reg); U execute(@optional in I i);
  abstract void apply(inout T value, @optional out U rv); }
parser IngressParserT<H, M>(packet_in p, out H h, out M m,
  @optional out ingress_intrinsic_metadata_t i);
control IngressT<H, M>(inout H h, inout M m, @optional in ingress_intrinsic_metadata_t i,
  @optional in ingress_intrinsic_metadata_from_parser_t f,
  @optional inout ingress_intrinsic_metadata_for_deparser_t d,
  @optional inout ingress_intrinsic_metadata_for_tm_t t);
control IngressDeparserT<H, M>(packet_out p, inout H h, in M m,
  @optional in ingress_intrinsic_metadata_for_deparser_t d);
parser EgressParserT<H, M>(packet_in p, out H h, out M m,
  @optional out egress_intrinsic_metadata_t i);
control EgressT<H, M>(inout H h, inout M m, @optional in egress_intrinsic_metadata_t i,
  @optional in egress_intrinsic_metadata_from_parser_t f,
  @optional inout egress_intrinsic_metadata_for_deparser_t d,
  @optional inout egress_intrinsic_metadata_for_output_port_t o);
control EgressDeparserT<H, M>(packet_out p, inout H h, in M m,
  @optional in egress_intrinsic_metadata_for_deparser_t d);
package Pipeline<IH, IM, EH, EM>(IngressParserT<IH, IM> ingress_parser, IngressT<IH, IM> ingress,
  IngressDeparserT<IH, IM> ingress_deparser, EgressParserT<EH, EM> egress_parser,
  EgressT<EH, EM> egress, EgressDeparserT<EH, EM> egress_deparser);
package Switch<IH, IM, EH, EM>(Pipeline<IH, IM, EH, EM> pipe);
)";
constexpr p4lang::ShippedFile small_architecture[] = {{"tna.p4", few_lines}};

constexpr std::string_view head =
    "#include <tna.p4>\nheader h_t { bit<8> a; bit<16> b; } struct hs { h_t h; h_t[2] s; } struct "
    "md { bit<8> m; }\n"
    "parser P(packet_in pkt, out hs hdr, out md m, out ingress_intrinsic_metadata_t i) {"
    " state start { pkt.extract(hdr.h); transition accept; } }\n"
    "control I(inout hs hdr, inout md m, in ingress_intrinsic_metadata_t i, in "
    "ingress_intrinsic_metadata_from_parser_t p,"
    " inout ingress_intrinsic_metadata_for_deparser_t d, inout ingress_intrinsic_metadata_for_tm_t "
    "t) {\n";
constexpr std::string_view tail =
    "\n}\ncontrol D(packet_out pkt, inout hs hdr, in md m, in "
    "ingress_intrinsic_metadata_for_deparser_t d) { apply { pkt.emit(hdr); } }\n"
    "parser EP(packet_in pkt, out hs hdr, out md m, out egress_intrinsic_metadata_t i) { state "
    "start { transition accept; } }\n"
    "control E(inout hs hdr, inout md m, in egress_intrinsic_metadata_t i, in "
    "egress_intrinsic_metadata_from_parser_t p,"
    " inout egress_intrinsic_metadata_for_deparser_t d, inout "
    "egress_intrinsic_metadata_for_output_port_t o) { apply { } }\n"
    "control ED(packet_out pkt, inout hs hdr, in md m, in egress_intrinsic_metadata_for_deparser_t "
    "d) { apply { } }\n"
    "Pipeline(P(), I(), D(), EP(), E(), ED()) pipe; Switch(pipe) main;\n";

}  // namespace

bool horae::fuzz::one_input(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return false;
  std::string text(text_of(bytes.subspan(1)));
  if ((bytes[0] & 2) != 0) text = std::string(head) + text + std::string(tail);
  p4lang::Options options;
  options.target = (bytes[0] & 1) != 0 ? p4lang::Target::tofino2 : p4lang::Target::tofino;
  options.shipped = p4lang::shipped_p4;
  if ((bytes[0] & 4) != 0) options.shipped = small_architecture;
  options.read = [&](const std::string& name) {
    return name == "a.p4" ? std::optional(text) : std::nullopt;
  };
  return read_or_refuse([&] {
    const Program program = p4lang::compile("a.p4", options);
    for (const Block& block : program.blocks) Indices(program, block).block();
  });
}
