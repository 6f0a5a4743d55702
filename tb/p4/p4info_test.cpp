// P4Info as a design, and the one line in which a bad one is refused.
#include "horae/p4/p4info.hpp"

#include <gtest/gtest.h>

#include <string>

#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/place/placement.hpp"
#include "refusal.hpp"
#include "report_copy.hpp"

namespace horae::p4::p4info_test {
namespace {

using namespace dataplane;

const std::string folder = HORAE_P4_REPORTS "/p4info";

template <class Spec>
const Spec& spec_of(const ImportedDesign& d, const std::string& name) {
  const auto* object = d.design.find(name);
  if (object == nullptr) throw std::runtime_error("no object " + name);
  return std::get<Spec>(object->spec);
}

TEST(P4Info, EntitiesBecomeObjects) {
  const auto d = import_p4info(folder + "/small.p4info.txt", "tofino2");
  const auto& routes = spec_of<MatchSpec>(d, "Ig.routes");
  EXPECT_EQ(match_kind(routes), MatchKind::lpm);
  EXPECT_EQ(routes.key_bits, 32u);
  EXPECT_EQ(routes.entries, 2048u);
  EXPECT_EQ(routes.data_bits, 57u);
  EXPECT_EQ(routes.actions, 1u);  // the other is no action of entries
  const auto& pairs = spec_of<MatchSpec>(d, "Ig.queue_pairs");
  EXPECT_EQ(match_kind(pairs), MatchKind::exact);
  EXPECT_EQ(pairs.key_bits, 88u);
  EXPECT_EQ(pairs.actions, 2u);
  EXPECT_EQ(pairs.miss, MissAction::listed);
  spec_of<ActionSpec>(d, "Ig.always");
  EXPECT_TRUE(spec_of<CounterSpec>(d, "Ig.hits").direct);
  EXPECT_EQ(spec_of<CounterSpec>(d, "Ig.hits").width, 64u);
  EXPECT_EQ(spec_of<CounterSpec>(d, "Ig.hits").table, "Ig.routes");
  EXPECT_EQ(spec_of<CounterSpec>(d, "Ig.ports").entries, 256u);
  EXPECT_EQ(spec_of<MeterSpec>(d, "Ig.rates").entries, 256u);
  EXPECT_TRUE(spec_of<RegisterSpec>(d, "Ig.pairs").pair);
  EXPECT_EQ(spec_of<RegisterSpec>(d, "Ig.odd").width, 32u);
  EXPECT_EQ(spec_of<ProfileSpec>(d, "Ig.members").table, "Ig.queue_pairs");
  EXPECT_EQ(spec_of<SelectorSpec>(d, "Ig.members.selector").groups, 16u);
  for (const auto& o : d.design.objects) EXPECT_TRUE(o.after.empty());
  std::string notes;
  for (const auto& n : d.notes) notes += n.object + (n.left_out ? " - " : ": ") + n.text + "\n";
  EXPECT_NE(notes.find("ParserPriority - an extern"), std::string::npos);
  EXPECT_NE(notes.find("Ig.odd: words of 24 bits taken as 32"), std::string::npos);
}

// Nothing depends on anything: resources alone set the stages.
TEST(P4Info, StagesAreABound) {
  const auto d = import_p4info(folder + "/small.p4info.txt", "tofino2");
  const auto placement = place(d.design, ChipSpec::find({"tofino2", {}}));
  EXPECT_TRUE(placement.fits());
  EXPECT_LE(placement.stages_used(), 3u);
}

struct Damage {
  const char* name;
  const char* from;
  const char* to;
  const char* message;
};
class DamagedP4Info : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedP4Info, IsRefusedInOneLine) {
  const ReportCopy copy(folder);
  const auto& d = GetParam();
  copy.replace("small.p4info.txt", d.from, d.to);
  const std::string file = copy.path() + "/small.p4info.txt";
  EXPECT_EQ(test::refusal_of([&] { import_p4info(file, "tofino2"); }), file + d.message);
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedP4Info,
    ::testing::Values(
        Damage{"NoColon", "size: 2048", "size 2048", ":10:8: found '2048', expected ':' or '{'"},
        Damage{"NoNumber", "size: 2048", "size: many",
               ":10:3: size: found 'many', expected a whole number"},
        Damage{"NoSize", "size: 2048", "size: 0", ":10:3: size: found 0, expected 1 to 4294967296"},
        Damage{"UnknownMatch", "match_type: LPM", "match_type: FUZZY",
               ":6:58: match_type: found 'FUZZY'; expected EXACT, LPM, TERNARY, RANGE or OPTIONAL"},
        Damage{"UnknownAction", "action_refs { id: 11 }", "action_refs { id: 99 }",
               ":7:3: action 99 is not in the file"},
        Damage{"OpenText", "\"Ig.routes\"", "\"Ig.routes",
               ":5:51: found '\" }', expected ':' or '{'"},
        Damage{"AValueForAMessage", "preamble { id: 2 name: \"Ig.queue_pairs\" }", "preamble: 2",
               ":13:3: preamble: found a value, expected '{'"},
        Damage{"Twice", "\"Ig.queue_pairs\"", "\"Ig.routes\"", ":12:1: 'Ig.routes' stands twice"},
        Damage{"TableOfNothing", "direct_table_id: 1", "direct_table_id: 9",
               ":24:1: table 9 is not in the file"}),
    [](const auto& p) { return std::string(p.param.name); });

TEST(P4Info, ForeignFiles) {
  const ReportCopy copy(folder);
  copy.write("empty.txt", "# nothing\n");
  EXPECT_EQ(test::refusal_of([&] { import_p4info(copy.path() + "/empty.txt", "tofino2"); }),
            copy.path() + "/empty.txt: no table, counter, meter or register: no P4Info");
  copy.write("open.txt", "tables {");
  EXPECT_EQ(test::refusal_of([&] { import_p4info(copy.path() + "/open.txt", "tofino2"); }),
            copy.path() + "/open.txt:1:9: found the end of the file, expected '}'");
  copy.write("deep.txt", [] {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "a {";
    return text;
  }());
  EXPECT_EQ(test::refusal_of([&] { import_p4info(copy.path() + "/deep.txt", "tofino2"); }),
            copy.path() +
                "/deep.txt:1:304: found 'a {a {a {a {a {a {a ', expected fewer messages in "
                "each other");
}

TEST(P4Info, CutOffAnywhere) {
  const ReportCopy copy(folder);
  const std::string text = copy.read("small.p4info.txt");
  for (std::size_t n = 0; n < text.size(); n += 37) {
    copy.write("small.p4info.txt", text.substr(0, n));
    const auto message =
        test::refusal_of([&] { import_p4info(copy.path() + "/small.p4info.txt", "tofino2"); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace horae::p4::p4info_test
