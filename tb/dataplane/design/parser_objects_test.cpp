// Value sets and checksums: what they compute, and what they take of the parser and deparser.
#include "horae/dataplane/design/parser_objects.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "broken_rule.hpp"
#include "horae/core/random.hpp"
#include "horae/dataplane/design/design_file.hpp"
#include "horae/dataplane/price/ledger.hpp"
#include "horae/params/document.hpp"

namespace horae::dataplane::parser_objects_test {
namespace {

constexpr auto in = Gress::ingress;

struct ParserObjects : PassesOfAPacket {};

TEST_F(ParserObjects, AValueSetHoldsWhatTheControlPlaneWrote) {
  ValueSet set(pipeline, in, "tunnels", {.key_bits = 16, .entries = 2});
  EXPECT_FALSE(set.holds(pass(), 4789));
  set.add(4789);
  set.add(0x8200, 0xff00);
  EXPECT_TRUE(set.holds(pass(), 4789));
  EXPECT_TRUE(set.holds(pass(), 0x82ab));
  EXPECT_FALSE(set.holds(pass(), 4790));
  set.remove(4789);
  EXPECT_FALSE(set.holds(pass(), 4789));
  EXPECT_EQ(set.size(), 1u);
}

TEST_F(ParserObjects, AValueSetKeepsItsRules) {
  ValueSet set(pipeline, in, "v", {.key_bits = 8, .entries = 1});
  EXPECT_EQ(broken_rule([&] { set.add(0x100); }),
            "tor.pipe2.v: value 0x100 with mask 0xff is wider than the key's 0xff");
  set.add(3);
  EXPECT_EQ(broken_rule([&] { set.add(3); }),
            "tor.pipe2.v: value 0x3 with mask 0xff is there already");
  EXPECT_EQ(broken_rule([&] { set.add(4); }), "tor.pipe2.v: full");
  EXPECT_EQ(broken_rule([&] { set.remove(4); }), "tor.pipe2.v: no value 0x4 with mask 0xff");
  EXPECT_EQ(broken_rule([&] { set.holds(pass(Gress::egress), 3); }),
            "tor.pipe2.v: used from outside the ingress of pipeline 2 in pass 12 (packet "
            "0x10000000003, egress of pipeline 2)");
  EXPECT_EQ(broken_rule([&] { set.holds(pass(), 256); }),
            "tor.pipe2.v: key 0x100 is wider than 0xff in pass 13 (packet 0x10000000003, ingress "
            "of pipeline 2)");
  const Pass once = pass();
  EXPECT_TRUE(set.holds(once, 3));
  EXPECT_NE(broken_rule([&] { set.holds(once, 3); }).find("used more than 1 times"),
            std::string::npos);
  EXPECT_EQ(broken_rule([&] { ValueSet(pipeline, in, "v", {}); }), "tor.pipe2.v: declared twice");
  EXPECT_EQ(broken_rule([&] { ValueSet(pipeline, in, "w", {.key_bits = 65}); }),
            "tor.pipe2.w: 1 entries of 65 bits; expected one at least, of 1 to 64 bits");
  // It is on the list that is priced.
  ASSERT_EQ(pipeline.design().value_sets.size(), 1u);
  EXPECT_EQ(pipeline.design().value_sets[0].name, "v");
}

/// The header of RFC 1071's worked example in most textbooks: 4500 0073 0000 4000 4011 b861 c0a8
/// 0001 c0a8 00c7, whose checksum is b861.
const std::vector<std::string> ipv4_fields = {"version", "ihl", "tos",      "length", "id",
                                              "flags",   "ttl", "protocol", "src",    "dst"};
const std::vector<std::uint32_t> ipv4_bits = {4, 4, 8, 16, 16, 16, 8, 8, 32, 32};
constexpr std::array<std::uint64_t, 10> ipv4_values = {4,      5,    0,    0x73,       0,
                                                       0x4000, 0x40, 0x11, 0xc0a80001, 0xc0a800c7};

TEST_F(ParserObjects, ChecksumsAreRfc1071) {
  Checksum update(pipeline, in, "update",
                  {.use = ChecksumUse::update, .over = ipv4_fields, .bits = ipv4_bits});
  EXPECT_EQ(update.of(pass(), ipv4_values), 0xb861);

  auto fields = ipv4_fields;
  auto bits = ipv4_bits;
  std::vector<std::uint64_t> values(ipv4_values.begin(), ipv4_values.end());
  fields.emplace_back("checksum");
  bits.push_back(16);
  values.push_back(0xb861);
  Checksum verify(pipeline, in, "verify", {.over = fields, .bits = bits});
  EXPECT_TRUE(verify.right(pass(), values));
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto wrong = values;
    wrong[i] ^= 1;
    EXPECT_FALSE(verify.right(pass(), wrong)) << fields[i];
  }
  // RFC 1071, section 3: words 0001 f203 f4f5 f6f7 sum to ddf2.
  Checksum example(pipeline, in, "example",
                   {.use = ChecksumUse::update, .over = {"all"}, .bits = {64}});
  EXPECT_EQ(example.of(pass(), std::array<std::uint64_t, 1>{0x0001f203f4f5f6f7}), 0xffff - 0xddf2);
  // An odd byte is the upper one of its word.
  Checksum odd(pipeline, in, "odd", {.use = ChecksumUse::update, .over = {"a"}, .bits = {24}});
  EXPECT_EQ(odd.of(pass(), std::array<std::uint64_t, 1>{0x000102}), 0xffff - 0x0201);
}

TEST_F(ParserObjects, OnlyUdpSendsOnesForZero) {
  const ChecksumSpec spec{.use = ChecksumUse::update, .over = {"a"}, .bits = {16}};
  ChecksumSpec udp = spec;
  udp.zeros_as_ones = true;
  Checksum plain(pipeline, in, "plain", spec), ones(pipeline, in, "ones", udp);
  const std::array<std::uint64_t, 1> all = {0xffff}, some = {0x00ff};
  EXPECT_EQ(plain.of(pass(), all), 0);
  EXPECT_EQ(ones.of(pass(), all), 0xffff);
  EXPECT_EQ(ones.of(pass(), some), 0xff00);
}

// The checksum of a segment whose payload nobody sees: the parser keeps the sum of the rest, the
// deparser adds the header that was rewritten.
TEST_F(ParserObjects, ARestAndAnUpdateMakeTheNewChecksum) {
  const std::vector<std::string> header = {"src_port", "dst_port", "seq"};
  const std::vector<std::uint32_t> header_bits = {16, 16, 32};
  auto with_rest = header;
  auto with_rest_bits = header_bits;
  with_rest.emplace_back("rest");
  with_rest_bits.push_back(16);
  Checksum rest(pipeline, in, "rest",
                {.use = ChecksumUse::residual, .over = header, .bits = header_bits});
  Checksum update(pipeline, in, "update",
                  {.use = ChecksumUse::update, .over = with_rest, .bits = with_rest_bits});
  // The reference: all words of the segment, added one by one.
  const auto whole = [](const std::vector<std::uint64_t>& h,
                        const std::vector<std::uint16_t>& words) {
    std::uint64_t sum = h[0] + h[1] + (h[2] >> 16) + (h[2] & 0xffff);
    for (const auto w : words) sum += w;
    return static_cast<std::uint16_t>(sum % 0xffff == 0 ? 0 : 0xffff - sum % 0xffff);
  };
  RandomStream random(1, "segments");
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::uint16_t> payload(1 + random.below(20));
    for (auto& w : payload) w = static_cast<std::uint16_t>(random.below(65536));
    const auto draw = [&] {
      return std::vector<std::uint64_t>{
          std::uint64_t{1} + random.below(65535), random.below(65536),
          std::uint64_t{random.below(65536)} << 16 | random.below(65536)};
    };
    const auto before = draw();
    auto after = draw();
    const auto fresh = whole(after, payload);
    after.push_back(rest.rest(pass(), whole(before, payload), before));
    ASSERT_EQ(update.of(pass(), after), fresh) << i;
  }
}

TEST_F(ParserObjects, AChecksumKeepsItsRules) {
  Checksum c(pipeline, in, "c", {.over = {"a", "b"}, .bits = {8, 8}});
  const std::array<std::uint64_t, 2> fit = {1, 2};
  EXPECT_NE(broken_rule([&] { c.of(pass(), fit); }).find("used to update, declared to verify"),
            std::string::npos);
  EXPECT_NE(broken_rule([&] {
              c.right(pass(), std::array<std::uint64_t, 1>{1});
            }).find("1 values for 2 fields"),
            std::string::npos);
  EXPECT_NE(broken_rule([&] {
              c.right(pass(), std::array<std::uint64_t, 2>{1, 256});
            }).find("b = 0x100 is wider than 8 bits"),
            std::string::npos);
  const Pass once = pass();
  c.right(once, fit);
  EXPECT_NE(broken_rule([&] { c.right(once, fit); }).find("used more than 1 times"),
            std::string::npos);
  EXPECT_EQ(broken_rule([&] { Checksum(pipeline, in, "d", {.over = {"a"}}); }),
            "tor.pipe2.d: 1 fields with 0 widths; expected a width of 1 to 64 bits for each of one "
            "field at least");
}

Ledger account(const Design& design, const std::string& chip) {
  const ChipSpec spec = ChipSpec::find({chip, {}});
  return make_ledger(design, spec, place(design, spec));
}
Ledger account(const std::string& text, const std::string& chip) {
  return account(read_design_file(Document::parse(text, "d.toml")).cases.front().design, chip);
}
std::int64_t used(const Ledger& ledger, const std::string& name) {
  for (const auto& a : ledger.pipeline)
    if (a.name == name) return a.used;
  return 0;
}
std::string refused(const Ledger& ledger) {
  std::string out;
  for (const auto& r : ledger.refused)
    out += r.resource + " " + std::to_string(r.need) + " of " + std::to_string(r.have) + "; ";
  return out;
}

TEST_F(ParserObjects, AProgramPaysForThem) {
  ValueSet set(pipeline, in, "tunnels", {.key_bits = 16, .entries = 8});
  Checksum verify(pipeline, in, "verify", {.over = {"a"}, .bits = {16}});
  Checksum update(pipeline, Gress::egress, "update",
                  {.use = ChecksumUse::update, .over = {"a"}, .bits = {16}});
  const auto ledger = account(pipeline.design(), "tofino2");
  EXPECT_EQ(used(ledger, "ingress_parser_rows"), 8);
  EXPECT_EQ(used(ledger, "ingress_parser_checksums"), 1);
  EXPECT_EQ(used(ledger, "egress_deparser_checksums"), 1);
  EXPECT_EQ(used(ledger, "deparser_checksums"), 1);
  EXPECT_EQ(ledger.stages_used(), 0u);
  EXPECT_EQ(refused(ledger), "");
}

std::string state(const std::string& name, const std::string& next = "") {
  return "[[state]]\nname = \"" + name + "\"\nnext = [" + next + "]\n";
}
std::string value_set(const std::string& name, int entries, const std::string& more = "") {
  return "[[value_set]]\nname = \"" + name +
         "\"\nkey_bits = 16\nentries = " + std::to_string(entries) + "\n" + more;
}
std::string checksum(const std::string& name, const std::string& does,
                     const std::string& more = "") {
  return "[[checksum]]\nname = \"" + name + "\"\ndoes = \"" + does + "\"\n" + more;
}

TEST(ParserPrices, EntriesStandInPlaceOfTheRowToTheirState) {
  const std::string states =
      state("udp", R"("vxlan", "geneve")") + state("vxlan") + state("geneve");
  EXPECT_EQ(used(account(states, "tofino2"), "ingress_parser_rows"), 4);
  const auto with =
      account(states + value_set("ports", 8, "states = [\"udp\"]\nnext = \"vxlan\"\n"), "tofino2");
  EXPECT_EQ(used(with, "ingress_parser_rows"), 8 + 1 + 1 + 1);
  EXPECT_EQ(used(with, "ingress_parser_states"), 3);
  // In two states they are there twice.
  const auto twice =
      account(states + value_set("ports", 8, "states = [\"udp\", \"geneve\"]\n"), "tofino2");
  EXPECT_EQ(used(twice, "ingress_parser_rows"), 4 + 16);
  EXPECT_EQ(refused(account(states + value_set("ports", 252), "tofino2")), "");
  EXPECT_EQ(refused(account(states + value_set("ports", 253), "tofino2")),
            "ingress_parser_rows 257 of 256; ");
}

TEST(ParserPrices, AStateComparesThirtyTwoBits) {
  const auto set = [](int bits) {
    return "[[value_set]]\nname = \"v\"\nentries = 1\nkey_bits = " + std::to_string(bits) + "\n";
  };
  EXPECT_EQ(refused(account(set(32), "tofino1")), "");
  const auto ledger = account(set(33), "tofino1");
  EXPECT_EQ(refused(ledger), "parser_match_bits 33 of 32; ");
  EXPECT_EQ(ledger.refused[0].object, "v");
  EXPECT_EQ(ledger.refused[0].rewrite, "key_bits = 32, or a match table");
}

TEST(ParserPrices, VerificationsInStatesOfTheirOwnShareAUnit) {
  const std::string states =
      state("ipv4", R"("tcp", "udp")") + state("tcp", "\"inner\"") + state("udp") + state("inner");
  const auto units = [&](const std::string& text) {
    return used(account(states + text, "tofino2"), "ingress_parser_checksums");
  };
  const auto of = [](const std::string& name, const std::string& does, const std::string& where) {
    return checksum(name, does, "states = [" + where + "]\n");
  };
  EXPECT_EQ(units(of("a", "verify", "\"ipv4\"") + of("b", "verify", "\"inner\"")), 1);
  EXPECT_EQ(units(of("a", "verify", "\"ipv4\"") + of("b", "verify", "\"ipv4\"")), 2);
  // With each of those that a unit has.
  EXPECT_EQ(units(of("a", "verify", "\"ipv4\"") + of("b", "verify", "\"inner\"") +
                  of("c", "verify", "\"inner\"")),
            2);
  EXPECT_EQ(units(checksum("a", "verify") + checksum("b", "verify")), 2);  // states not known
  // A sum that is kept to the end of parsing shares with none that may begin later.
  EXPECT_EQ(units(of("a", "residual", "\"tcp\"") + of("b", "residual", "\"inner\"")), 2);
  EXPECT_EQ(units(of("a", "residual", "\"tcp\"") + of("b", "residual", "\"udp\"")), 1);
  EXPECT_EQ(units(of("a", "residual", "\"tcp\"") + of("b", "verify", "\"udp\"")), 2);
}

TEST(ParserPrices, ChecksumUnitsAreRefusedBeyondTheChips) {
  const auto many = [](const std::string& does, int n, const std::string& more = "") {
    std::string out;
    for (int i = 0; i < n; ++i) {
      // Built piece by piece: GCC 12 warns wrongly of longer sums.
      std::string name = does + (more.empty() ? "_in_" : "_out_");
      name += std::to_string(i);
      out += checksum(name, does, more);
    }
    return out;
  };
  const std::string egress = "gress = \"egress\"\n";
  EXPECT_EQ(refused(account(many("verify", 2), "tofino1")), "");
  EXPECT_EQ(refused(account(many("verify", 3), "tofino1")), "ingress_parser_checksums 3 of 2; ");
  EXPECT_EQ(refused(account(many("verify", 5), "tofino2")), "");
  EXPECT_EQ(refused(account(many("verify", 6, egress), "tofino2")),
            "egress_parser_checksums 6 of 5; ");
  // Tofino: two units of each gress's own, four for either. Tofino2: eight for either.
  const auto updates = [&](int ingress, int of_egress, const char* chip) {
    return refused(account(many("update", ingress) + many("update", of_egress, egress), chip));
  };
  EXPECT_EQ(updates(6, 2, "tofino1"), "");
  EXPECT_EQ(updates(4, 4, "tofino1"), "");
  EXPECT_EQ(updates(7, 0, "tofino1"), "ingress_deparser_checksums 7 of 6; ");
  EXPECT_EQ(updates(5, 4, "tofino1"), "deparser_checksums 9 of 8; ");
  EXPECT_EQ(updates(8, 0, "tofino2"), "");
  EXPECT_EQ(updates(1, 7, "tofino2"), "");
  EXPECT_EQ(updates(4, 5, "tofino2"), "deparser_checksums 9 of 8; ");
}

std::string refusal(const std::string& text) {
  try {
    account(text, "tofino2");
  } catch (const InputError& e) {
    return e.what();
  }
  return "nothing was refused";
}

TEST(ParserPrices, BadOnesAreRefusedInOneLine) {
  const std::string states = state("udp", "\"vxlan\"") + state("vxlan");
  EXPECT_EQ(refusal(states + value_set("v", 1, "states = [\"upd\"]\n")),
            "d.toml:8:8: 'v' is compared in 'upd', which is no state of ingress, did you mean "
            "'udp'?");
  EXPECT_EQ(refusal(states + value_set("v", 1, "states = [\"udp\"]\nnext = \"vlan\"\n")),
            "d.toml:8:8: 'v' leads from 'udp' to 'vlan', which is not in its next, did you mean "
            "'vxlan'?");
  EXPECT_EQ(refusal(value_set("v", 1, "next = \"x\"\n")),
            "d.toml:2:8: 'v' leads to 'x' from no state: expected states");
  EXPECT_EQ(refusal(value_set("v", 1) + checksum("v", "verify")),
            "d.toml:6:8: 'v' is declared twice");
  EXPECT_EQ(refusal(states + checksum("c", "update", "states = [\"udp\"]\n")),
            "d.toml:8:8: 'c' is an update of the deparser, which has no states");
  EXPECT_EQ(refusal(checksum("c", "verify", "zeros_as_ones = true\n")),
            "d.toml:2:8: 'c': zeros_as_ones is of an update; it is a verify");
  EXPECT_EQ(refusal(checksum("c", "verify", "over = [\"a\"]\nover_bits = [8, 8]\n")),
            "d.toml:2:8: 'c': 2 widths for 1 fields");
  const std::string field = "[[field]]\nname = \"ttl\"\nbits = 8\n";
  EXPECT_EQ(refusal(field + checksum("c", "verify", "over = [\"tll\"]\n")),
            "d.toml:5:8: 'c' sums 'tll', which is no field of ingress, did you mean 'ttl'?");
  EXPECT_EQ(refusal(field + checksum("c", "verify", "over = [\"ttl\"]\nover_bits = [9]\n")),
            "d.toml:5:8: 'c' sums 9 bits of 'ttl', which has 8");
}

TEST(ParserPrices, WrittenTheyReadBackTheSame) {
  const std::string text = "name = \"d\"\n[[action]]\nname = \"a\"\n" + state("udp", "\"vxlan\"") +
                           state("vxlan") +
                           value_set("v", 4, "states = [\"udp\"]\nnext = \"vxlan\"\n") +
                           checksum("c", "update",
                                    "gress = \"egress\"\nover = [\"x\"]\nover_bits = [9]\n"
                                    "zeros_as_ones = true\n") +
                           checksum("r", "residual", "states = [\"udp\"]\n");
  const auto once = read_design_file(Document::parse(text, "d.toml")).cases.front();
  const auto twice = read_design_file(Document::parse(design_text(once), "e.toml")).cases.front();
  ASSERT_EQ(once.design.checksums.size(), 2u);
  EXPECT_EQ(once.design.value_sets, twice.design.value_sets);
  EXPECT_EQ(once.design.checksums, twice.design.checksums);
}

}  // namespace
}  // namespace horae::dataplane::parser_objects_test
