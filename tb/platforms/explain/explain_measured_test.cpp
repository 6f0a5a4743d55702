// `horae explain` of a question that has nothing to do with acknowledgements out of order, and of
// what tools measured.
#include <gtest/gtest.h>

#include "explain.hpp"

namespace horae::test::explain_measured_test {
namespace {

const std::string scaling = std::string(HORAE_PLATFORM_DIR) + "/nic_scaling.toml";

/// Output of perftest for 16 queue pairs with 8 messages each.
std::string perftest(double gbps, int bytes) {
  return fmt::format(
      "                    RDMA_Write BW Test\n"
      " Number of qps   : 16\t\tTransport type : IB\n"
      " Connection type : RC\t\tUsing SRQ      : OFF\n TX depth        : 8\n"
      " Mtu             : 1024[B]\n"
      " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
      " {:<7}    {:<10}       {:<7.2f}            {:<7.2f}\t\t   {:<7.6f}\n",
      bytes, 5000, gbps, gbps, gbps * 1e3 / 8 / bytes);
}

TEST(ExplainMeasured, ShipsAQuestionOfQueuePairs) {
  const Workplace place;
  const Ended read = run(place, {"config", scaling, "--kind", "explain"});
  EXPECT_EQ(read.exit_code, 0) << read.err;
  const Ended other =
      run(place, {"config", scaling, "--kind", "explain", "--set", "nic.memory.round_trip=1us"});
  EXPECT_EQ(other.exit_code, 0) << other.err;
}

TEST(ExplainMeasured, FindsWhatPerftestMeasured) {
  const Workplace place;
  const Words settings = {"traffic[0].message=64B", "traffic[0].qps=16", "traffic[0].depth=8",
                          "nic.memory.round_trip=1200ns"};
  const double gbps = result(summary_of(place, scaling, settings), "receivers.delivered_rate");
  place.write("run.txt", perftest(gbps, 64));
  const Ended ended = run(place, {"explain", scaling, "--observations", "run.txt", "--quick",
                                  "--seeds", "1", "--only", "N0,N3", "--points", "40"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  // The agreeing value is the one that was set: 128 reads outstanding take that long.
  EXPECT_NE(ended.out.find("N0.all_on_chip"), std::string::npos);
  EXPECT_NE(ended.out.find("q16.s64.rate"), std::string::npos);
  EXPECT_NE(ended.out.find("consistent"), std::string::npos) << ended.out;
  // Nothing here depends on a reading, and no NACK was counted.
  EXPECT_EQ(ended.out.find("  reading "), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("NACK"), std::string::npos) << ended.out;
}

TEST(ExplainMeasured, RefusesAToolsFileInOneLine) {
  const Workplace place;
  place.write("run.txt", "nothing of perftest\n");
  const Ended ended = run(place, {"explain", scaling, "--observations", "run.txt"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err,
            "horae: run.txt: no results of perftest: expected lines below '#bytes #iterations BW "
            "peak BW average MsgRate', as ib_write_bw prints them\n");
}

}  // namespace
}  // namespace horae::test::explain_measured_test
