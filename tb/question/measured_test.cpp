// Observations out of what perftest and counters of a NIC say, in the formats that they are in.
#include "horae/question/measured.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "horae/core/error.hpp"
#include "horae/question/files.hpp"
#include "refusal.hpp"

namespace horae::question::measured_test {
namespace {

namespace fs = std::filesystem;

/// A folder for one test's files.
class Measured : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("horae_measured_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }
  /// Message with which the file is refused, without its folder.
  std::string refused(const std::string& name, const std::string& text, ImportSpec import = {}) {
    const std::string path = write(name, text);
    const std::string said = test::refusal_of([&] { read_measured(path, import); });
    const std::string folder = folder_.string() + "/";
    return said.starts_with(folder) ? said.substr(folder.size()) : said;
  }

  fs::path folder_;
};

const std::string line(87, '-');

std::string run_of(const std::string& qps, const std::string& unit, const std::string& rows) {
  return line +
         "\n                    RDMA_Write BW Test\n"
         " Dual-port       : OFF\t\tDevice         : mlx5_0\n"
         " Number of qps   : " +
         qps +
         "\t\tTransport type : IB\n"
         " Connection type : RC\t\tUsing SRQ      : OFF\n"
         " PCIe relax order: ON\n ibv_wr* API     : ON\n TX depth        : 128\n"
         " CQ Moderation   : 100\n Mtu             : 1024[B]\n Link type       : Ethernet\n"
         " GID index       : 3\n Max inline data : 0[B]\n rdma_cm QPs\t : OFF\n"
         " Data ex. method : Ethernet\n" +
         line +
         "\n local address: LID 0000 QPN 0x0091 PSN 0xc94686 RKey 0x17ffe1 VAddr 0x007f5fe8d09000\n"
         " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:01\n" +
         line + "\n #bytes     #iterations    BW peak[" + unit + "]    BW average[" + unit +
         "]   MsgRate[Mpps]\n" + rows + line + "\n";
}

// Half a digit of rounding and another of tolerance are one allowance.
TEST(ObservationSpec, ABoundIsMissedOnOneSideOnly) {
  ObservationSpec o;
  o.value = 10;
  o.rounding.value = 0.5;
  o.tolerance.value = 1.5;
  EXPECT_EQ(o.miss(14), 2);
  EXPECT_EQ(o.miss(6), -2);
  o.relation = Relation::at_most;
  EXPECT_EQ(o.miss(14), 2);
  EXPECT_EQ(o.miss(10), 0);
  EXPECT_EQ(o.miss(6), 0);
  o.relation = Relation::at_least;
  EXPECT_EQ(o.miss(14), 0);
  EXPECT_EQ(o.miss(10), 0);
  EXPECT_EQ(o.miss(6), -2);
}

TEST_F(Measured, PerftestTextInGigabits) {
  const auto path = write("a.txt", run_of("1", "Gb/sec",
                                          " 64         5000             2.10               2.05   "
                                          "\t\t   4.003906\n"
                                          " 1048576    5000             55.87              55.86"
                                          "               0.006660\n"));
  const ObservationsFile f = read_measured(path, {});
  ASSERT_EQ(f.conditions.size(), 2u);
  EXPECT_EQ(f.conditions[0].id.value, "q1.s64");
  const std::vector<std::string> set = {"traffic[0].message=64B", "traffic[0].qps=1",
                                        "traffic[0].depth=128", "nic.mtu=1024B"};
  EXPECT_EQ(std::vector<std::string>(f.conditions[0].set.begin(), f.conditions[0].set.end()), set);
  ASSERT_EQ(f.observations.size(), 2u);
  const ObservationSpec& small = f.observations[0];
  EXPECT_EQ(small.quantity.value, "delivered_rate");
  EXPECT_EQ(small.unit.value, "Gbps");
  EXPECT_EQ(small.use, Use::fit);
  // The message rate has more digits than 2.05: 4.003906 Mpps of 512 bits.
  EXPECT_NEAR(small.value, 2.049999872, 1e-9);
  EXPECT_NEAR(small.rounding.value, 0.5e-6 * 0.512, 1e-12);
  EXPECT_NEAR(small.tolerance.value, 0.05 * small.value, 1e-12);
  // And so has 0.006660 Mpps of 8.4 Mbit: 0.0042 against 0.005.
  EXPECT_NEAR(f.observations[1].value, 55.87, 0.01);
  EXPECT_NEAR(f.observations[1].rounding.value, 0.5e-6 * 8388.608, 1e-9);
  EXPECT_EQ(f.observations[1].id.where.line, 22u);
}

/// ib_read_lat, ib_atomic_lat: linux-rdma/perftest, perftest_parameters.h: RESULT_FMT_LAT.
TEST_F(Measured, PerftestLatencies) {
  std::string text = run_of("1", "Gb/sec", "");
  text.replace(text.find("RDMA_Write BW"), 13, "RDMA_Read Latency");
  text.replace(text.find(" TX depth        : 128\n"), 23, " Outstand reads  : 16\n");
  const std::size_t head = text.find(" #bytes");
  text.replace(
      head, text.find('\n', head) + 1 - head,
      " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    "
      "t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n"
      " 2       1000          1.78           4.21         1.83     \t       1.84        \t0.07"
      "\t\t2.01    \t\t4.21   \n");
  const ObservationsFile f = read_measured(write("a.txt", text), {});
  ASSERT_EQ(f.observations.size(), 1u);
  EXPECT_EQ(f.conditions[0].id.value, "latency.read.q1.s2");
  const std::vector<std::string> set = {"traffic[0].verb=read",        "traffic[0].name=measured",
                                        "traffic[0].message=2B",       "traffic[0].qps=1",
                                        "traffic[0].depth=1",          "nic.mtu=1024B",
                                        "nic.reliability.rd_atomic=16"};
  EXPECT_EQ(std::vector<std::string>(f.conditions[0].set.begin(), f.conditions[0].set.end()), set);
  EXPECT_EQ(f.observations[0].quantity.value, "traffic.measured.latency_p50");
  EXPECT_EQ(f.observations[0].unit.value, "us");
  EXPECT_DOUBLE_EQ(f.observations[0].value, 1.83);
  EXPECT_DOUBLE_EQ(f.observations[0].rounding.value, 0.005);
}

/// ib_write_lat, whose times are half of a round trip (perftest_parameters.c: rtt_factor).
TEST_F(Measured, PerftestLatenciesOfAPingPong) {
  std::string text = run_of("1", "Gb/sec", "");
  text.replace(text.find("RDMA_Write BW"), 13, "RDMA_Write Latency");
  const std::size_t head = text.find(" #bytes");
  text.replace(head, text.find('\n', head) + 1 - head,
               " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]\n"
               " 64      1000          0.98           3.21         1.03               1.25\n");
  const ObservationsFile f = read_measured(write("a.txt", text), {});
  ASSERT_EQ(f.observations.size(), 1u);
  EXPECT_EQ(f.conditions[0].id.value, "latency.q1.s64");
  const std::vector<std::string> set = {"traffic[0].name=measured",  "traffic[0].message=64B",
                                        "traffic[0].qps=1",          "traffic[0].depth=1",
                                        "traffic[0].ping_pong=true", "nic.mtu=1024B"};
  EXPECT_EQ(std::vector<std::string>(f.conditions[0].set.begin(), f.conditions[0].set.end()), set);
  EXPECT_EQ(f.observations[0].quantity.value, "traffic.measured.message_rate");
  EXPECT_DOUBLE_EQ(f.observations[0].value, 0.8);
  EXPECT_DOUBLE_EQ(f.observations[0].rounding.value, 0.0032);
  text.replace(text.find("  1.25"), 6, "");
  EXPECT_EQ(refused("a.txt", text),
            "a.txt:21:2: 5 columns; expected 6 or more: #bytes, #iterations, t_min, t_max, "
            "t_typical, t_avg");
  text.replace(text.find("t_avg"), 5, "t_mid");
  EXPECT_EQ(refused("a.txt", text),
            "a.txt:20:2: expected the columns #bytes, #iterations, t_min[usec], t_max[usec], "
            "t_typical[usec], t_avg[usec] and others");
}

TEST_F(Measured, PerftestOverUnreliableServices) {
  std::string text = run_of("1", "Gb/sec",
                            " 64         5000             2.10               2.05   "
                            "\t\t   4.003906\n");
  text.replace(text.find("RDMA_Write BW"), 13, "Send BW");
  text.replace(text.find(": RC"), 4, ": UD");
  const ObservationsFile f = read_measured(write("a.txt", text), {});
  EXPECT_EQ(f.conditions[0].id.value, "ud.send.q1.s64");
  EXPECT_EQ(f.conditions[0].set[1].value, "traffic[0].service=ud");
}

TEST_F(Measured, PerftestTextInMebibytesAndSeveralRuns) {
  // 11728.47 MB/s of 2^20 are 98.386 Gbps; twice 65536 on 8 queue pairs are one observation.
  const auto path = write(
      "a.log",
      run_of("8", "MB/sec",
             " 65536      5000             11729.00            11728.47\t\t   0.187656\n") +
          run_of("8", "MB/sec",
                 " 65536      5000             11629.00            11628.47\t\t   0.186056\n") +
          run_of("64", "MB/sec",
                 " 65536      5000             11000.00            11000.00\t\t   0.176000\n"));
  const ObservationsFile f = read_measured(path, {});
  ASSERT_EQ(f.observations.size(), 2u);
  EXPECT_EQ(f.observations[0].condition.value, "q8.s65536");
  EXPECT_EQ(f.observations[1].condition.value, "q64.s65536");
  const double one = 11728.47 * 8 * 1048576 / 1e9, other = 11628.47 * 8 * 1048576 / 1e9;
  EXPECT_NEAR(f.observations[0].value, (one + other) / 2, 1e-6);
  EXPECT_NEAR(f.observations[0].rounding.value, 0.005 * 8 * 1048576 / 1e9, 1e-12);
  EXPECT_NEAR(f.observations[0].tolerance.value,
              0.05 * f.observations[0].value + (one - other) / std::sqrt(2.0), 1e-6);
}

/// Tests of other verbs say so, and so do their conditions.
TEST_F(Measured, PerftestOfOtherVerbs) {
  const auto changed = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string write_bw = run_of("1", "Gb/sec", " 8   5000   0.14   0.139   2.170000\n");
  const std::string inlined = " Max inline data : 0[B]";
  std::string all =
      changed(changed(write_bw, "RDMA_Write", "RDMA_Read"), inlined, " Outstand reads  : 16");
  all += changed(changed(write_bw, "RDMA_Write", "Send"), " CQ Moder",
                 " RX depth        : 512\n CQ Moder");
  all += changed(changed(write_bw, "RDMA_Write", "Atomic FETCH_AND_ADD"), inlined,
                 " Outstand reads  : 4");
  all += changed(write_bw, "RDMA_Write", "Atomic CMP_AND_SWAP") + write_bw;
  const ObservationsFile f = read_measured(write("a.txt", all), {});
  ASSERT_EQ(f.conditions.size(), 5u);
  const auto set_of = [&](std::size_t i) {
    return std::vector<std::string>(f.conditions[i].set.begin(), f.conditions[i].set.end());
  };
  const auto expected = [](const std::string& first, const std::string& last) {
    std::vector<std::string> set = {"traffic[0].message=8B", "traffic[0].qps=1",
                                    "traffic[0].depth=128", "nic.mtu=1024B"};
    if (!first.empty()) set.insert(set.begin(), "traffic[0].verb=" + first);
    if (!last.empty()) set.push_back(last);
    return set;
  };
  EXPECT_EQ(f.conditions[0].id.value, "read.q1.s8");
  EXPECT_EQ(set_of(0), expected("read", "nic.reliability.rd_atomic=16"));
  EXPECT_EQ(set_of(1), expected("send", "nic.receive.depth=512"));
  EXPECT_EQ(set_of(2), expected("fetch_add", "nic.reliability.rd_atomic=4"));
  EXPECT_EQ(set_of(3), expected("compare_swap", ""));
  EXPECT_EQ(f.conditions[4].id.value, "q1.s8");
  EXPECT_EQ(set_of(4), expected("", ""));
  EXPECT_NEAR(f.observations[2].value, 2.17 * 0.064, 1e-9);
}

const char* strict_json = R"({
"test_info": {
"test": "RDMA_Write BW",
"Dual_port": "OFF",
"Device": "mlx5_0",
"Number_of_qps": 4,
"Connection_type": "RC",
"TX_depth": 128,
"Mtu": 4096
},
"results": {
"MsgSize": 65536,
"n_iterations": 5000,
"BW_peak": 98.01,
"BW_average": 97.86,
"MsgRate": 0.186653
}
})";

TEST_F(Measured, PerftestJson) {
  const ObservationsFile f = read_measured(write("a.json", strict_json), {});
  ASSERT_EQ(f.observations.size(), 1u);
  EXPECT_EQ(f.observations[0].id.value, "q4.s65536.rate");
  EXPECT_NEAR(f.observations[0].value, 0.186653 * 65536 * 8 / 1e3, 1e-9);
  EXPECT_EQ(f.conditions[0].set.back().value, "nic.mtu=4096B");
}

/// As print_report_lat writes it with --out_json (perftest_parameters.h: REPORT_FMT_LAT_JSON).
TEST_F(Measured, PerftestJsonOfLatencies) {
  const std::string atomic = R"({
"test_info": {
"test": "Atomic_FETCH_AND_ADD_Latency_Test",
"Number_of_qps": 1,
"Connection_type": "RC",
"Mtu": 4096,
"Outstand_reads": 16
},
"results": {
"MsgSize": 8,
"n_iterations": 1000,
"t_min": 1.91,
"t_max": 4.40,
"t_typical": 2.17,
"t_avg": 2.18,
"t_stdev": 0.05,
"percentile_99": 2.40,
"percentile_99.9": 4.40
}
})";
  const ObservationsFile f = read_measured(write("a.json", atomic), {});
  ASSERT_EQ(f.observations.size(), 1u);
  EXPECT_EQ(f.conditions[0].id.value, "latency.fetch_add.q1.s8");
  const std::vector<std::string> set = {"traffic[0].verb=fetch_add",   "traffic[0].name=measured",
                                        "traffic[0].message=8B",       "traffic[0].qps=1",
                                        "traffic[0].depth=1",          "nic.mtu=4096B",
                                        "nic.reliability.rd_atomic=16"};
  EXPECT_EQ(std::vector<std::string>(f.conditions[0].set.begin(), f.conditions[0].set.end()), set);
  EXPECT_EQ(f.observations[0].quantity.value, "traffic.measured.latency_p50");
  EXPECT_EQ(f.observations[0].unit.value, "us");
  EXPECT_DOUBLE_EQ(f.observations[0].value, 2.17);
  EXPECT_DOUBLE_EQ(f.observations[0].rounding.value, 0.005);

  // SENDs have half of a round trip: two messages, one each way, in twice that.
  std::string halved = atomic;
  halved.replace(halved.find("Atomic_FETCH_AND_ADD"), 20, "Send");
  const ObservationsFile h = read_measured(write("b.json", halved), {});
  EXPECT_EQ(h.conditions[0].id.value, "latency.send.q1.s8");
  EXPECT_EQ(h.conditions[0].set[5].value, "traffic[0].ping_pong=true");
  EXPECT_EQ(h.observations[0].id.value, "latency.send.q1.s8.rate");
  EXPECT_EQ(h.observations[0].quantity.value, "traffic.measured.message_rate");
  EXPECT_EQ(h.observations[0].unit.value, "million messages per second");
  EXPECT_DOUBLE_EQ(h.observations[0].value, 1 / 2.18);
  EXPECT_DOUBLE_EQ(h.observations[0].rounding.value, 0.005 / (2.18 * 2.18));
  halved.replace(halved.find("2.18"), 4, "0.00");
  EXPECT_EQ(refused("b.json", halved), "b.json: t_avg 0 us; expected more than that");
  std::string without = atomic;
  without.replace(without.find("t_typical"), 9, "t_typic");
  EXPECT_EQ(refused("c.json", without),
            "c.json: no 'results.t_typical': expected what perftest writes with --out_json "
            "(test_info, results)");
}

TEST_F(Measured, PerftestOfImmediateData) {
  std::string text = strict_json;
  text.replace(text.find("RDMA_Write BW"), 13, "RDMA_Write_imm_BW_Test");
  text.replace(text.find("\"Mtu\""), 5, "\"RX_depth\": 512,\n\"Mtu\"");
  const ObservationsFile f = read_measured(write("a.json", text), {});
  EXPECT_EQ(f.conditions[0].id.value, "write_imm.q4.s65536");
  EXPECT_EQ(f.conditions[0].set[0].value, "traffic[0].verb=write_imm");
  EXPECT_EQ(f.conditions[0].set.back().value, "nic.receive.depth=512");
}

// As older releases write it: nothing quoted, a comma after the last.
TEST_F(Measured, PerftestJsonWithoutQuotes) {
  std::string loose = strict_json;
  std::erase(loose, '"');
  loose.replace(loose.find("0.186653"), 8, "0.186653,");
  loose.replace(loose.find("Mtu: 4096"), 9, "Mtu: 4096,");
  const ObservationsFile f = read_measured(write("loose.json", loose), {});
  const ObservationsFile strict = read_measured(write("strict.json", strict_json), {});
  ASSERT_EQ(f.observations.size(), 1u);
  EXPECT_EQ(f.observations[0].id.value, strict.observations[0].id.value);
  EXPECT_EQ(f.observations[0].value, strict.observations[0].value);
  EXPECT_EQ(f.observations[0].rounding.value, strict.observations[0].rounding.value);
}

TEST_F(Measured, CountersOverTime) {
  // packet_seq_err wraps at 32 bits between the second and the third sample.
  const auto path = write("c.csv",
                          "# mlx5_0 port 1\n"
                          "time,port_xmit_data,packet_seq_err,out_of_sequence,port_rcv_packets,"
                          "rx_write_requests\n"
                          "10.0,1000,4294967290,0,0,5\n"
                          "10.5,781251000,4294967290,100,4000,5\n"
                          "12.0,3125001000,479994,300,16000,100005\n");
  ImportSpec import;
  import.id = "spray";
  import.message = Located<std::string>{"4 KiB", {}};
  const ObservationsFile f = read_measured(path, import);
  ASSERT_EQ(f.conditions.size(), 1u);
  EXPECT_EQ(f.conditions[0].id.value, "spray");
  ASSERT_EQ(f.observations.size(), 4u);
  const auto& tx = f.observations[0];
  EXPECT_EQ(tx.id.value, "spray.port_xmit_data");
  EXPECT_EQ(tx.quantity.value, "senders.tx_rate_l2");
  EXPECT_NEAR(tx.value, 3125000000.0 * 32 / 2 / 1e9, 1e-9);
  const auto& nacks = f.observations[1];
  EXPECT_EQ(nacks.quantity.value, "senders.nack_rate");
  EXPECT_NEAR(nacks.value, 0.24, 1e-12);  // 480000 in 2 s
  EXPECT_NEAR(nacks.rounding.value, 0.5e-6, 1e-15);
  EXPECT_EQ(f.observations[2].quantity.value, "receivers.out_of_order");
  EXPECT_NEAR(f.observations[2].value, 300.0 / 16000, 1e-12);
  EXPECT_NEAR(f.observations[3].value, 100000.0 * 4096 * 8 / 1e9 / 2, 1e-9);
  // A window without the wrap.
  import.to = Located<double>{10.5, {}};
  EXPECT_EQ(read_measured(path, import).observations[1].value, 0);
  EXPECT_NEAR(read_measured(path, import).observations[0].value, 781250000.0 * 32 / 0.5 / 1e9,
              1e-9);
}

// As spreadsheets and Windows write them.
TEST_F(Measured, BlanksAroundCountersSayNothing) {
  const auto plain = write("p.csv", "time,packet_seq_err,port_xmit_data\n0,1,2\n2,7,500002\n");
  const auto spaced = write("s.csv",
                            " time , packet_seq_err\t,port_xmit_data \r\n0 ,1 , 2\r\n"
                            " \t\r\n\t2, 7\t,\t500002 \r\n");
  const ObservationsFile a = read_measured(plain, {}), b = read_measured(spaced, {});
  ASSERT_EQ(a.observations.size(), 2u);
  ASSERT_EQ(b.observations.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(a.observations[i].quantity.value, b.observations[i].quantity.value);
    EXPECT_EQ(a.observations[i].value, b.observations[i].value);
  }
}

// Up to half of its range a counter has wrapped; from there on it has been set back.
TEST_F(Measured, ACounterWrapsByHalfOfItsRangeAtMost) {
  const std::string before = "time,packet_seq_err\n0,4294967295\n1,";
  const auto path = write("c.csv", before + "2147483646\n");
  EXPECT_NEAR(read_measured(path, {}).observations.at(0).value, 2147.483647, 1e-9);
  EXPECT_EQ(refused("c.csv", before + "2147483647\n"),
            "c.csv:3:3: packet_seq_err goes back from 4294967295 to 2147483647, too far to have "
            "wrapped at 32 bits: was it set back?");
  EXPECT_EQ(refused("c.csv", before + "4294967296\n"),
            "c.csv:3:3: packet_seq_err = 4294967296 does not fit its 32 bits");
}

// 4 Mpps are from 3.5 to 4.5, so 2.05 Gbps with 0.26 to either side: 2.25 is the same number.
TEST_F(Measured, TheTwoNumbersOfARowAgreeWithinBothRoundings) {
  const auto row = [&](const std::string& average) {
    return run_of("1", "Gb/sec", " 64   5000   9   " + average + "   4\n");
  };
  const ObservationsFile f = read_measured(write("a.txt", row("2.25")), {});
  ASSERT_EQ(f.observations.size(), 1u);
  EXPECT_EQ(f.observations[0].value, 2.25);
  EXPECT_DOUBLE_EQ(f.observations[0].rounding.value, 0.005);
  // The shares of both and 1 % beside: 0.005 + 0.256 + 0.0205.
  EXPECT_EQ(read_measured(write("a.txt", row("2.32")), {}).observations[0].value, 2.32);
  EXPECT_EQ(refused("a.txt", row("2.34")),
            "a.txt:21:2: BW average 2.34 is neither Gb/sec nor MB/sec (2^20) of 4 Mpps with 64 "
            "bytes");
}

TEST_F(Measured, AnObservationsFileImportsThem) {
  write("run.txt",
        run_of("2", "Gb/sec",
               " 65536      5000             97.00              96.50\t\t   0.184059\n"));
  const auto path = write("o.toml", R"(title = "T"
source = "S"
[[import]]
file = "run.txt"
id = "lab"
set = ["link_default.rate=100Gbps"]
tolerance = 0.02
use = "predict"
source = "our lab"
)");
  const ObservationsFile f = read_observations(path);
  EXPECT_EQ(f.title, "T");
  ASSERT_EQ(f.observations.size(), 1u);
  EXPECT_EQ(f.observations[0].id.value, "lab.q2.s65536.rate");
  EXPECT_EQ(f.observations[0].use, Use::predict);
  EXPECT_EQ(f.observations[0].source, "our lab");
  EXPECT_NEAR(f.observations[0].tolerance.value, 0.02 * f.observations[0].value, 1e-12);
  EXPECT_EQ(f.conditions[0].set[0].value, "link_default.rate=100Gbps");
  EXPECT_EQ(read_observations((folder_ / "run.txt").string()).observations[0].id.value,
            "q2.s65536.rate");
}

/// Spaces, packed: a thousandth of their size.
std::string packed_spaces(std::size_t mebibytes) {
  const std::string piece(1 << 20, ' ');
  std::string out(4096, '\0');
  std::string packed;
  z_stream z{};
  constexpr int gzip = 16;
  EXPECT_EQ(deflateInit2(&z, 1, Z_DEFLATED, MAX_WBITS + gzip, 8, Z_DEFAULT_STRATEGY), Z_OK);
  for (std::size_t i = 0; i <= mebibytes; ++i) {
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    z.avail_in = i < mebibytes ? static_cast<uInt>(piece.size()) : 0;
    do {
      z.next_out = reinterpret_cast<Bytef*>(out.data());
      z.avail_out = static_cast<uInt>(out.size());
      deflate(&z, i < mebibytes ? Z_NO_FLUSH : Z_FINISH);
      packed.append(out.data(), out.size() - z.avail_out);
    } while (z.avail_out == 0);
  }
  deflateEnd(&z);
  return packed;
}

// Some packed bytes may be more than there is memory.
TEST_F(Measured, RefusesWhatIsTooMuchOnceItIsUnpacked) {
  const std::string bomb = packed_spaces(300);
  ASSERT_LT(bomb.size(), 3u << 20);
  EXPECT_EQ(refused("a.txt.gz", bomb),
            "a.txt.gz: more than 4 MiB once it is unpacked; expected perftest's output, which is "
            "less");
  EXPECT_EQ(refused("a.json", bomb),
            "a.json: more than 4 MiB once it is unpacked; expected perftest's output, which is "
            "less");
  EXPECT_EQ(refused("a.csv.gz", bomb),
            "a.csv.gz: more than 256 MiB once it is unpacked; expected counters over time, which "
            "is less");
  EXPECT_EQ(refused("b.txt", std::string((4 << 20) + 1, ' ')),
            "b.txt: more than 4 MiB; expected perftest's output, which is less");
  EXPECT_EQ(refused("c.txt.gz", packed_spaces(4)).substr(0, 34),
            "c.txt.gz: no results of perftest: ");
}

TEST_F(Measured, RefusesInOneLineThatSaysWhere) {
  EXPECT_EQ(refused("a.txt", "hello\n"),
            "a.txt: no results of perftest: expected lines below '#bytes #iterations BW peak BW "
            "average MsgRate', as ib_write_bw prints them");
  std::string other = run_of("1", "Gb/sec", "");
  other.replace(other.find("RDMA_Write"), 10, "RDMA_Flush");
  EXPECT_EQ(refused("a.txt", other),
            "a.txt:2:21: 'RDMA_Flush' is not modelled; expected a BW Test of RDMA_Write, "
            "RDMA_Read, Send or Atomic (ib_write_bw and others)");
  std::string type = run_of("1", "Gb/sec", "");
  type.replace(type.find(": RC"), 4, ": XRC");
  EXPECT_EQ(refused("a.txt", type),
            "a.txt:5:20: connection type 'XRC' is not modelled; expected RC, UC or UD");
  EXPECT_EQ(refused("a.txt", run_of("1", "Gb/sec", " 64   5000   2.1   fast   4.0\n")),
            "a.txt:21:20: BW average: expected a number, found 'fast'");
  for (const std::string& text : {std::string("2.1x"), std::string("2e0"), std::string("-2.1"),
                                  std::string("inf"), std::string("nan"), std::string(400, '9')})
    EXPECT_EQ(refused("a.txt", run_of("1", "Gb/sec", " 64   5000   2.1   " + text + "   4.0\n")),
              "a.txt:21:20: BW average: expected a number, found '" + text + "'");
  EXPECT_EQ(refused("a.txt", run_of("1", "Gb/sec", " 64   5000   2.1\n")),
            "a.txt:21:2: 3 columns; expected 5: #bytes, #iterations, BW peak, BW average, MsgRate");
  EXPECT_EQ(refused("a.txt", run_of("1", "Gb/sec", " 64   5000   2.1   2.1   9.000000\n")),
            "a.txt:21:2: BW average 2.1 is neither Gb/sec nor MB/sec (2^20) of 9 Mpps with 64 "
            "bytes");
  EXPECT_EQ(refused("a.json", "{\"test_info\": \n ]"),
            "a.json:2:2: not JSON, nor what perftest writes with --out_json");
  EXPECT_EQ(refused("a.json", "{}"),
            "a.json: no 'test_info.test': expected what perftest writes with --out_json "
            "(test_info, results)");
  EXPECT_EQ(refused("a.csv", "seconds,packet_seq_err\n"),
            "a.csv:1:1: expected the columns time (s) and names of counters, found 'seconds'");
  EXPECT_EQ(refused("a.csv", "time,packet_seq_er\n"),
            "a.csv:1:6: unknown counter 'packet_seq_er', did you mean 'packet_seq_err'?");
  EXPECT_EQ(refused("a.csv", "time,packet_seq_err\n0,1\n1,x\n"),
            "a.csv:3:3: packet_seq_err: expected a whole number, found 'x'");
  EXPECT_EQ(refused("a.csv", "time,packet_seq_err\n0,1\n0,2\n"),
            "a.csv:3:1: time 0 s is not after 0 s");
  EXPECT_EQ(refused("a.csv", "time,packet_seq_err\n0,100\n1,20\n"),
            "a.csv:3:3: packet_seq_err goes back from 100 to 20, too far to have wrapped at 32 "
            "bits: was it set back?");
  EXPECT_EQ(refused("a.csv", "time,packet_seq_err\n0,100\n"),
            "a.csv: 1 samples of counters in the window; expected 2 or more, below a line with "
            "time and names of counters");
  EXPECT_EQ(refused("a.csv", "time,np_cnp_sent\n0,1\n1,2\n"),
            "a.csv:1:1: no counter here is compared with anything: expected port_xmit_data, "
            "packet_seq_err, out_of_sequence with port_rcv_packets, or rx_write_requests with the "
            "import's message");
}

}  // namespace
}  // namespace horae::question::measured_test
