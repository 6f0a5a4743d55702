// A schema with every kind of field, and a document for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/units.hpp"
#include "horae/params/document.hpp"
#include "horae/params/located.hpp"
#include "horae/params/schema.hpp"

namespace horae::params_example {

enum class Path { random, ecmp };

struct ProgramConfig {
  std::string name = "spray";
  Cycles window{512};
  bool strict = true;

  bool operator==(const ProgramConfig&) const = default;
  static const Schema<ProgramConfig>& schema() {
    static const Schema<ProgramConfig> s =
        Schema<ProgramConfig>("program", "The program a switch runs.")
            .field("name", &ProgramConfig::name, {.doc = "registered name"})
            .field("window", &ProgramConfig::window, {.doc = "cycles", .min = Cycles(1)})
            .field("strict", &ProgramConfig::strict, {.doc = "refuse strays"});
    return s;
  }
};

struct LinkConfig {
  BitRate rate = 100_Gbps;
  Picoseconds delay = 1_us;
  double loss = 0;
  Located<std::string> a, b;

  bool operator==(const LinkConfig&) const = default;
  static const Schema<LinkConfig>& schema() {
    static const Schema<LinkConfig> s =
        Schema<LinkConfig>("link", "A full-duplex link between two ports.")
            .required("a", &LinkConfig::a, {.doc = "device at one end"})
            .required("b", &LinkConfig::b, {.doc = "device at the other end"})
            .field("rate", &LinkConfig::rate,
                   {.doc = "line rate", .min = 1_Gbps, .max = 1600_Gbps, .source = "IEEE 802.3"})
            .field("delay", &LinkConfig::delay,
                   {.doc = "propagation delay", .min = 1_ns, .verified = false})
            .field("loss", &LinkConfig::loss, {.doc = "of a packet", .min = 0, .max = 1});
    return s;
  }
};

struct PlatformConfig {
  std::string title = "untitled";
  std::int64_t seed = 1;
  std::uint8_t ttl = 64;
  std::optional<Bytes> buffer;
  std::optional<std::int64_t> limit = 7;
  Hertz clock{1'500'000'000};
  Path path = Path::random;
  std::vector<Picoseconds> delays{1_us, 2_us};
  std::vector<Path> paths;
  std::vector<Located<std::string>> hosts;
  ProgramConfig program;
  std::optional<ProgramConfig> control;
  std::vector<LinkConfig> links;
  Section extra;
  std::vector<Section> devices;

  bool operator==(const PlatformConfig&) const = default;
  static const Schema<PlatformConfig>& schema() {
    using C = PlatformConfig;
    static const Schema<C> s =
        Schema<C>("platform", "A whole platform.")
            .field("title", &C::title)
            .field("seed", &C::seed, {.doc = "of every stream", .min = 0})
            .field("ttl", &C::ttl, {.max = std::uint8_t{128}})
            .field("buffer", &C::buffer, {.min = 1_KiB})
            .field("limit", &C::limit)
            .field("clock", &C::clock)
            .choice("path", &C::path, {{"random", Path::random}, {"ecmp", Path::ecmp}},
                    {.doc = "choice of path"})
            .field("delays", &C::delays, {.min = 1_ns})
            .choice("paths", &C::paths, {{"random", Path::random}, {"ecmp", Path::ecmp}})
            .field("hosts", &C::hosts)
            .table("program", &C::program, ProgramConfig::schema())
            .table("control", &C::control, ProgramConfig::schema(), {.doc = "controller"})
            .tables("link", &C::links, LinkConfig::schema())
            .open("extra", &C::extra, {.doc = "read by another schema"})
            .open("device", &C::devices);
    return s;
  }
};

using Overrides = std::vector<std::string>;

inline PlatformConfig read(std::string_view text, const Overrides& overrides = {}) {
  return Document::parse(text, "x.toml", overrides).root().read<PlatformConfig>();
}

inline std::string refusal(std::string_view text, const Overrides& overrides = {}) {
  try {
    (void)read(text, overrides);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

/// A document that gives every kind of field.
inline constexpr std::string_view full = R"(title = "two links"
seed = 42
ttl = 128
buffer = "22 MB"
limit = -1
clock = "1312.5 MHz"
path = "ecmp"
delays = ["1 ns", "88480 ps"]
paths = ["ecmp", "random"]
hosts = ["h1", "h2"]
program.window = 3
program.strict = false

[control]
name = "c"

[[link]]
a = "h1"
b = "tor"
rate = "400Gbps"
loss = "1/256"

[[link]]
a = "h2"
b = "tor"
delay = "1.5 us"
loss = 1

[extra]
kind = "odd"
n = [1, 2.5, { z = true }]

[[device]]
name = "tor"
)";

}  // namespace horae::params_example
