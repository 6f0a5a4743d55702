// Compiled programs do what their instructions do: the same packets out, the same notes of passes,
// the same registers and counters.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "compiled_library.hpp"
#include "horae/core/random.hpp"
#include "horae/p4prog/entries.hpp"
#include "small_program.hpp"

namespace horae::p4prog::test::compiled_test {
namespace {

/// Programs of platforms/, with files of entries, and what networks put into their tables.
struct Shipped {
  std::string source;
  std::vector<std::string> entries;
  std::string more = "";
};
std::string routes(const std::string& action) {
  std::string out;
  for (int node = 1; node <= 4; ++node)
    out += fmt::format("add routes headers.ipv4.destination:10.0.0.{} {}:{})\n", node, action,
                       8 * node);
  return out;
}
std::string members() {
  std::string out;
  for (int place = 0; place < 16; ++place)
    out += fmt::format("add members group:8 place:{} send(port:16)\n", place);
  return out;
}
const std::vector<Shipped> shipped = {
    {"p4/router/router.p4", {"p4/router/router.entries.toml"}},
    {"p4/telemetry/telemetry.p4", {"p4/telemetry/telemetry.entries.toml"}},
    {"p4/sketch/sketch.p4", {"p4/sketch/sketch.entries.toml"}},
    {"p4/balancer/balancer.p4", {"p4/balancer/balancer.entries.toml"}},
    {"p4/themis/themis.p4", {"p4/themis/themis.entries.csv"}, routes("send(port")},
    {"p4/forward/forward.p4", {}, routes("to_group(group") + members()},
    {"bench/median.p4", {"bench/median.csv"}},
};

p4lang::Program compiled_source(const std::string& file) {
  p4lang::Options options;
  options.target = p4lang::Target::tofino2;
  options.shipped = p4lang::shipped_p4;
  return p4lang::compile(std::string(HORAE_PLATFORM_DIR "/") + file, options);
}

/// Stacks, ways back in the parser, a varbit, wide values, sums, functions, exit, an error that the
/// control sees, registers of all kinds of access.
Parts everything() {
  Parts p;
  p.tofino2 = true;
  p.headers =
      "header base_h { bit<48> d; bit<48> s; bit<16> type; }\n"
      "header tag_h { bit<3> a; bit<13> b; bit<16> type; }\n"
      "header ip_h { bit<4> v; bit<4> ihl; bit<8> tos; bit<16> len; bit<32> id; bit<8> ttl;\n"
      "  bit<8> protocol; bit<16> sum; bit<32> s; bit<32> d; }\n"
      "header options_h { varbit<320> o; }\n"
      "header long_h { bit<128> a; bit<7> b; bit<65> c; }\n"
      "header odd_h { bit<5> a; bit<7> b; }\n"
      "struct pair { bit<32> a; bit<32> b; }\n"
      "struct headers { base_h base; tag_h[3] tags; ip_h ip; options_h options; long_h long_; "
      "odd_h "
      "odd; }\n"
      "struct metadata { bit<16> rest; bit<1> wrong; bit<32> x; int<16> y; bit<96> w; bit<8> hit; "
      "}\n";
  p.parser_locals = "  Checksum() sum;\n";
  p.parse =
      "pkt.extract(hdr.base); transition select(hdr.base.type) {\n"
      "  0x8100: tag; 0x0800: ip; 0xaaaa: long_; 0x9000 .. 0x90ff: odd; default: accept; } }\n"
      "state tag { pkt.extract(hdr.tags.next); transition select(hdr.tags.last.type) {\n"
      "  0x8100: tag; 0x0800: ip; default: accept; } }\n"
      "state ip { pkt.extract(hdr.ip); sum.add(hdr.ip); md.wrong = (bit<1>)sum.verify();\n"
      "  transition select(hdr.ip.ihl) { 5: accept; 6 .. 15: options; default: reject; } }\n"
      "state options { pkt.extract(hdr.options, ((bit<32>)hdr.ip.ihl - 5) * 32); transition "
      "accept; "
      "}\n"
      "state long_ { md.x = pkt.lookahead<bit<32>>(); pkt.extract(hdr.long_); transition accept; "
      "}\n"
      "state odd { pkt.extract(hdr.odd); transition accept; }\n";
  p.locals =
      "  Random<bit<8>>() dice;\n"
      "  Hash<bit<32>>(HashAlgorithm_t.CRC32) crc;\n"
      "  Hash<bit<16>>(HashAlgorithm_t.CRC16) wide_crc;\n"
      "  Counter<bit<64>, bit<4>>(16, CounterType_t.PACKETS_AND_BYTES) seen;\n"
      "  DirectCounter<bit<64>>(CounterType_t.PACKETS) by_entry;\n"
      "  Register<bit<16>, bit<4>>(16) r;\n"
      "  RegisterAction<bit<16>, bit<4>, bit<16>>(r) add = {\n"
      "    void apply(inout bit<16> v, out bit<16> o) { o = v; v = v |+| 40000; } };\n"
      "  Register<pair, bit<4>>(11) q;\n"
      "  RegisterAction<pair, bit<4>, bit<32>>(q) both = {\n"
      "    void apply(inout pair v, out bit<32> o) { if (v.a < md.x) { v.a = md.x; v.b = v.b + 1; "
      "} o "
      "= v.b; } };\n"
      "  action give(bit<16> a, bit<8> b) { md.rest = a; md.hit = b; by_entry.count(); }\n"
      "  action stop() { ig_dprsr_md.drop_ctl = 1; exit; }\n"
      "  action nothing() { by_entry.count(); }\n"
      "  table t { key = { hdr.ip.ttl: exact; hdr.ip.s: ternary; hdr.ip.protocol: range; }\n"
      "    actions = { give; stop; nothing; } default_action = nothing(); counters = by_entry;\n"
      "    const entries = { (1, 0 &&& 0, 0 .. 100): give(7, 9); (2, 0 &&& 0, 0 .. 255): stop();\n"
      "      (3, 1 &&& 1, 0 .. 255): give(8, 1); } }\n"
      "  action plain() { md.y = md.y + 3; }\n"
      "  table keyless { actions = { plain; } default_action = plain(); }\n";
  p.apply =
      "ig_tm_md.ucast_egress_port = 2; ig_tm_md.bypass_egress = 1;\n"
      "md.hit = dice.get() ^ md.hit;\n"
      "seen.count((bit<4>)hdr.base.d);\n"
      "if (ig_prsr_md.parser_err != 0) { ig_tm_md.ucast_egress_port = 3; }\n"
      "if (hdr.long_.isValid()) { hdr.long_.a = hdr.long_.a + 5; hdr.long_.c = hdr.long_.c |-| 1;\n"
      "  md.w = hdr.long_.a[100:5]; hdr.long_.b = md.w[70:64];\n"
      "  md.rest = wide_crc.get({hdr.long_.a, hdr.long_.c}); }\n"
      "md.x = crc.get({hdr.base.s, hdr.base.type}) ^ md.x;\n"
      "md.y = (int<16>)md.rest; md.y = md.y |+| 16000; if (md.y < 0) { md.y = -md.y; }\n"
      "keyless.apply();\n"
      "if (hdr.ip.isValid()) {\n"
      "  if (t.apply().hit) { hdr.ip.tos = md.hit; }\n"
      "  hdr.ip.len = add.execute((bit<4>)hdr.ip.id); hdr.ip.id = both.execute((bit<4>)hdr.ip.s);\n"
      "  hdr.ip.s[15:8] = (bit<8>)(bit<16>)md.y; }\n"
      "if (hdr.tags[1].isValid()) { hdr.tags.pop_front(1); hdr.tags[0].b = hdr.tags[0].b + 1; }\n"
      "if (hdr.odd.isValid()) { hdr.odd.b = (bit<7>)(md.x >> 3) << 1; }\n"
      "hdr.base.d = hdr.base.d ^ (bit<48>)md.x;";
  p.deparser_locals = "  Checksum() sum;\n";
  p.deparse =
      "if (hdr.ip.isValid()) { hdr.ip.sum = sum.update({hdr.ip.v, hdr.ip.ihl, hdr.ip.tos, "
      "hdr.ip.len,\n  hdr.ip.id, hdr.ip.ttl, hdr.ip.protocol, hdr.ip.s, hdr.ip.d, "
      "hdr.tags[0].b, md.x[2:0]}); }\n"
      "pkt.emit(hdr);";
  return p;
}

/// Completes an IPv4 header without options.
void put_checksum(std::uint8_t* header) {
  header[10] = header[11] = 0;
  std::uint32_t sum = 0;
  for (int i = 0; i < 20; i += 2) sum += header[i] << 8 | header[i + 1];
  sum = (sum & 0xffff) + (sum >> 16);
  sum = ~((sum & 0xffff) + (sum >> 16));
  header[10] = static_cast<std::uint8_t>(sum >> 8);
  header[11] = static_cast<std::uint8_t>(sum);
}

/// Frames of hosts that shipped entries know, and bytes that parsers often like; some cut, some
/// damaged.
Bytes8 packet(RandomStream& draw) {
  Bytes8 out(14 + draw.below(150));
  for (auto& b : out) b = static_cast<std::uint8_t>(draw.below(256));
  const auto put = [&](std::size_t at, std::initializer_list<unsigned> bytes) {
    for (const unsigned b : bytes) {
      if (at < out.size()) out[at] = static_cast<std::uint8_t>(b);
      ++at;
    }
  };
  static constexpr std::array<unsigned, 6> types = {0x0800, 0x8100, 0xaaaa, 0x9007, 0x0800, 0x0806};
  std::size_t at = 12;
  unsigned type = types[draw.below(6)];
  put(0, {2, 0, 0, 0, 0, draw.below(9)});
  put(at, {type >> 8, type & 0xff});
  for (unsigned tags = 0; type == 0x8100 && tags < 4; ++tags) {
    at += 4;
    type = types[draw.below(2)];
    put(at, {type >> 8, type & 0xff});
  }
  if (type == 0x0800) {
    const std::size_t ip = at + 2;
    put(ip,
        {draw.below(8) == 0 ? 0x40 + draw.below(16) : 0x45, draw.below(4), 0, 40 + draw.below(90)});
    put(ip + 8,
        {draw.below(2) == 0 ? 64 : draw.below(5), draw.below(3) == 0 ? draw.below(256) : 17});
    put(ip + 12, {10, 0, 0, draw.below(9), 10, 0, 0, draw.below(9)});
    put(ip + 22, {0x12, 0xb7});
    put(ip + 28, {draw.below(4) == 0 ? 0x11 : 0x04 + draw.below(8)});
    put(ip + 28 + 5, {0, 0, draw.below(4) == 0 ? 1u : 64u});
    put(ip + 28 + 9, {0, 0, draw.below(256)});
    if (ip + 20 <= out.size() && draw.below(4) != 0) put_checksum(&out[ip]);
  }
  return out;
}

std::string passes_of(const P4Switch& chip) {
  std::string out;
  for (const auto& p : chip.passes())
    out += fmt::format("{} {} {} {} {} {}\n", p.pipe, static_cast<int>(p.gress), p.port,
                       p.parsed_bytes, p.error, p.outcome);
  return out;
}

/// Cells that both have after the packets.
std::string state_of(const p4lang::Program& program, P4Switch& chip) {
  std::string out;
  for (const auto& e : program.externs) {
    for (std::uint64_t i = 0; i < 64; ++i) {
      try {
        if (e.type->name.starts_with("Register<"))
          out += fmt::format("{}[{}] {}\n", e.name, i,
                             fmt::join(chip.control_plane().read_register(e.name, i), " "));
        if (e.type->name.starts_with("Counter<"))
          out += fmt::format("{}[{}] {} {}\n", e.name, i,
                             chip.control_plane().read_counter(e.name, i).packets,
                             chip.control_plane().read_counter(e.name, i).bytes);
      } catch (const InputError&) {
        break;  // beyond its cells
      }
    }
  }
  return out;
}

void expect_equal(const p4lang::Program& program, const CompiledProgram& compiled,
                  const Shipped& shipped) {
  SCOPED_TRACE(shipped.source);
  auto options = SwitchOptions::of(true);
  P4Switch bytecode(program, options);
  options.compiled = &compiled;
  P4Switch straight(program, options);
  for (P4Switch* chip : {&bytecode, &straight}) {
    for (const std::string& file : shipped.entries)
      Entries::load(std::string(HORAE_PLATFORM_DIR "/") + file)
          .apply(chip->control_plane(), chip->manager());
    EXPECT_TRUE(run_stf(*chip, "more.stf", shipped.more).met());
  }
  RandomStream draw(5, shipped.source);
  std::size_t left = 0;
  for (int i = 0; i < 2000; ++i) {
    const Bytes8 in = packet(draw);
    const unsigned port = 8 * (1 + draw.below(4));
    const auto expected = bytecode.inject(port, in, Picoseconds(i * 1000));
    const auto found = straight.inject(port, in, Picoseconds(i * 1000));
    ASSERT_EQ(found, expected) << "packet " << i;
    ASSERT_EQ(passes_of(straight), passes_of(bytecode)) << "packet " << i;
    const auto one = bytecode.take_digests(), other = straight.take_digests();
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t d = 0; d < one.size(); ++d) ASSERT_EQ(one[d].words, other[d].words);
    left += found.size();
  }
  EXPECT_EQ(state_of(program, straight), state_of(program, bytecode));
  EXPECT_GT(left, 0u);  // or the packets are not what the program likes
}

TEST(Compiled, DoesWhatTheInstructionsDo) {
  std::vector<p4lang::Program> sources;
  for (const Shipped& s : shipped) sources.push_back(compiled_source(s.source));
  const Bench bench(everything());
  std::vector<const p4lang::Program*> programs;
  for (const auto& program : sources) programs.push_back(&program);
  programs.push_back(bench.program.get());
  const CompiledLibrary library(programs);
  for (std::size_t i = 0; i < shipped.size(); ++i)
    expect_equal(*programs[i], *library[i], shipped[i]);
  expect_equal(*bench.program, *library[shipped.size()], {"everything", {}});
  // Made of another program.
  auto options = SwitchOptions::of(true);
  options.compiled = library[0];
  EXPECT_THROW(P4Switch(*programs[1], options), InputError);
}

TEST(Compiled, TheSameCodeHasTheSameName) {
  Parts p;
  const Bench one(p), again(p);
  p.apply += " md.m1 = 7; hdr.data.h1 = md.m1;";
  const Bench other(p);
  const auto digest = [](const Bench& b) { return compiled_text(code_of(*b.program)).digest; };
  EXPECT_EQ(digest(one), digest(again));
  EXPECT_NE(digest(one), digest(other));
}

/// A packet with an error of the parser's runs through the whole control, whatever externs it asks.
TEST(Compiled, AnErrorOfTheParserDoesNotEndTheControl) {
  Parts p;
  p.locals = "  Random<bit<8>>() dice;\n";
  p.apply =
      "if (ig_prsr_md.parser_err != 0) { md.m1 = (bit<16>)dice.get(); }\n"
      "ig_tm_md.ucast_egress_port = 2; ig_tm_md.bypass_egress = 1;";
  EXPECT_EQ(faults_of(p, "packet 0 11 22\nexpect 2 11 22\n"), "");
}

}  // namespace
}  // namespace horae::p4prog::test::compiled_test
