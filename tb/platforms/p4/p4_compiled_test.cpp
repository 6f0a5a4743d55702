// `horae p4 compile` as a user runs it: a library of what it prints, in a case and in a network.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "program.hpp"

namespace horae::test::p4_compiled_test {
namespace {

const std::string router = HORAE_PLATFORM_DIR "/p4/router/router";

/// Two NICs around a router; its routes follow the network.
std::string pair_of_nics(const std::string& more) {
  return "[platform]\nname = \"pair\"\n[sim]\nduration = \"1 ms\"\nstop = \"finished\"\n"
         "[nic]\nkind = \"rnic\"\ntransport = \"go_back_n\"\n"
         "[tor]\nkind = \"tofino\"\nchip = \"tofino2\"\n"
         "[tor.program]\nname = \"p4\"\nsource = \"" +
         router + ".p4\"\n" + more +
         "[tor.program.routes]\ntable = \"ipv4_lpm\"\nkey = \"hdr.ipv4.dst_addr\"\n"
         "action = \"route\"\nport = \"port\"\nmac = \"next_hop\"\n"
         "[[device]]\nnames = [\"a\", \"b\"]\nprofile = \"nic\"\n"
         "[[device]]\nnames = [\"s\"]\nprofile = \"tor\"\n"
         "[link_default]\nrate = \"100 Gbps\"\ndelay = \"500 ns\"\n"
         "[[link]]\nbetween = [\"a\", \"s\"]\n[[link]]\nbetween = [\"b\", \"s\"]\n"
         "[[traffic]]\nkind = \"batch\"\npattern = \"permutation\"\nsize = \"2 MiB\"\n";
}

/// By the compiler of this build; without CMake, as the page of plug-ins says.
void make_library(const Workplace& place, const std::string& source, const std::string& library) {
  std::string command = HORAE_CXX
      " -std=c++20 -O0 -fPIC -shared -DSC_CPLUSPLUS=201703L -DSC_INCLUDE_DYNAMIC_PROCESSES"
      " -I" HORAE_SOURCE_DIR "/platforms/program/config/src -I" HORAE_PLUGIN_DIGEST_DIR;
  for (const char* room : {"core", "params", "dataplane", "p4lang", "p4prog"})
    command += fmt::format(" -I" HORAE_SOURCE_DIR "/models/{}/include", room);
  command +=
      fmt::format(" {0}/{1} " HORAE_SOURCE_DIR "/scripts/cmake/package/plugin_abi.cpp -o {0}/{2}",
                  place.path().string(), source, library);
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

TEST(P4Compiled, RunsInCasesAndNetworksAsTheSourceDoes) {
  Workplace place;
  const Ended printed = run(place, {"p4", "compile", router + ".p4", "--target", "tofino2"});
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_EQ(run(place, {"p4", "compile", router + ".p4", "--target", "tofino2", "--out", "r.cpp"})
                .exit_code,
            0);
  EXPECT_EQ(place.read("r.cpp"), printed.out);
  make_library(place, "r.cpp", "r.so");

  const Ended met =
      run(place, {"p4", "test", router + ".stf", "--source", router + ".p4", "--target", "tofino2",
                  "--entries", router + ".entries.toml", "--compiled", "r.so"});
  EXPECT_EQ(met.exit_code, 0) << met.out << met.err;

  // More passes than the first thousand, which are watched, and so are not of compiled code.
  const auto ran = [&](const std::string& more) {
    place.write("net.toml", pair_of_nics(more));
    const Ended ended = run(place, {"run", "net.toml", "--json", "--out", "out"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.json();
  };
  const auto plain = ran(""), compiled = ran("compiled = \"r.so\"\n");
  EXPECT_EQ(plain.at("results"), compiled.at("results"));
  EXPECT_EQ(plain.at("statistics"), compiled.at("statistics"));
  EXPECT_GT(plain.at("statistics").at("s").at("forwarded").at("value").get<double>(), 1000);

  // Code for the other chip is another one.
  const Ended other = run(place, {"p4", "test", router + ".stf", "--source", router + ".p4", "-D",
                                  "EXTRA=1", "--target", "tofino", "--compiled", "r.so"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("was made of another program"), std::string::npos) << other.err;
}

TEST(P4Compiled, RefusesWhatIsNoCompiledProgram) {
  Workplace place;
  place.write("net.toml", pair_of_nics("compiled = \"r.so\"\n"));
  EXPECT_NE(run(place, {"run", "net.toml"}).err.find("net.toml:15:12: "), std::string::npos);
  place.write("r.so", "nothing");
  const Ended none = run(place, {"run", "net.toml"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("r.so: no plug-in of Horae"), std::string::npos) << none.err;
  place.write("abi.cpp", "");
  make_library(place, "abi.cpp", "r.so");
  const Ended other = run(place, {"run", "net.toml"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("r.so: has no 'horae_p4_program'"), std::string::npos) << other.err;
}

}  // namespace
}  // namespace horae::test::p4_compiled_test
