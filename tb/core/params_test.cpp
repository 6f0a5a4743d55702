// Reading, refusing, dumping and describing parameters.
#include "horae/core/params.hpp"

#include <gtest/gtest.h>

namespace horae {
namespace {

enum class Path { random, ecmp };

struct LinkConfig {
  BitRate rate = 100_Gbps;
  Picoseconds delay = 1_us;
  double loss = 0;
  Located<std::string> a;
  Path path = Path::random;
  std::optional<std::uint32_t> seed;
  static const Schema<LinkConfig>& schema() {
    static const Schema<LinkConfig> s =
        Schema<LinkConfig>("link", "A full-duplex link between two ports.")
            .required("a", &LinkConfig::a, {.doc = "device at one end"})
            .field("rate", &LinkConfig::rate,
                   {.doc = "line rate", .min = 1_Gbps, .max = 1600_Gbps, .source = "x"})
            .field("delay", &LinkConfig::delay, {.doc = "delay", .min = 1_ns, .verified = false})
            .field("loss", &LinkConfig::loss, {.min = 0, .max = 1})
            .field("seed", &LinkConfig::seed, {.min = 0})
            .choice("path", &LinkConfig::path, {{"random", Path::random}, {"ecmp", Path::ecmp}},
                    {.doc = "p"});
    return s;
  }
};

TEST(Params, Basics) {
  const auto link = Document::parse("[link]\na = 'x'\n", "x.toml", {"link.rate=200Gbps"})
                        .root()
                        .child("link")
                        .read<LinkConfig>();
  EXPECT_EQ(link.rate, 200_Gbps);
  EXPECT_EQ(link.delay, 1_us);
  EXPECT_EQ(link.a.where.text(), "x.toml:2:5");
}

}  // namespace
}  // namespace horae
