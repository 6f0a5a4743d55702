// Names that no file or table could have, and a current folder that is gone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "program.hpp"

namespace horae::test::names_test {
namespace {

std::string two_devices(const std::string& name) {
  return fmt::format(
      "[platform]\nname = \"x\"\n[sim]\nduration = \"20 us\"\n[nic]\nkind = \"rnic\"\n[[device]]\n"
      "names = [\"{0}\", \"b\"]\nprofile = \"nic\"\n[[link]]\nbetween = [\"{0}\", \"b\"]\n"
      "[[traffic]]\nkind = \"messages\"\nfrom = [\"b\"]\nto = [\"{0}\"]\n",
      name);
}

// Files are called after devices: the longest name has its files, a longer one is refused before
// anything runs.
TEST(Names, OfADeviceFitIntoAFileName) {
  const Workplace place;
  const std::string longest(200, 'a');
  place.write("p.toml", two_devices(longest));
  const Ended ended = run(place, {"run", "p.toml", "--pcap", longest, "--out", "out"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  place.write("p.toml", two_devices(longest + "a"));
  const Ended refused = run(place, {"run", "p.toml", "--out", "other"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err,
            "horae: p.toml:8:10: a device name of 201 characters: expected at most 200\n");
  EXPECT_FALSE(std::filesystem::exists(place.path() / "other"));
}

// Tables print a line for each object.
TEST(Names, OfAnObjectAreOneLine) {
  const Workplace place;
  place.write("o.toml",
              "source = \"s\"\n[[design]]\nname = \"d\"\nchip = \"tofino1\"\n[[design.register]]\n"
              "name = \"a\\nb\"\nentries = 4\nwidth = 32\n");
  const Ended ended = run(place, {"size", "--objects", "o.toml"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err,
            "horae: o.toml:6:8: name = \"a\\x0ab\" has a character that cannot be printed in one "
            "line\n");
}

}  // namespace
}  // namespace horae::test::names_test
