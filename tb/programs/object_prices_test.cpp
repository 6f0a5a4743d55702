// Requirements of single objects of the programs: as many bytes of a crossbar as the fields have
// that they read, a table for each action of a register that the published code runs from one, and
// stages one after the other where one waits for the other. Prices of whole programs are in the
// pages of each program and in its ledgers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/place/placement.hpp"
#include "horae/dataplane/price/ledger.hpp"
#include "horae/dataplane/price/price.hpp"
#include "pass_driver.hpp"

namespace horae::programs::object_prices_test {
namespace {

using dataplane::Amounts;
using dataplane::Design;
using dataplane::Resource;

constexpr NodeId near_node = 1, far_node = 2;
const Routes routes = {.entries = {{near_node, {0}, true}, {far_node, {1, 2}}},
                       .pipeline_of_port = {0, 0, 0},
                       .queues_per_port = 32};

struct Program {
  explicit Program(const std::string& name, const std::string& parameters = {})
      : program(test::read_by_name(name, parameters)->make(pipeline, routes)) {}

  const Design& design() const { return pipeline.design(); }
  const dataplane::DesignObject& object(const std::string& name) const {
    const auto* found = design().find(name);
    if (found == nullptr) throw std::runtime_error("no object " + name);
    return *found;
  }
  /// Requirement of the object by itself, which has one unit.
  Amounts of(const std::string& name) const {
    const auto price =
        dataplane::price_object(object(name), dataplane::ChipSpec::find({"tofino2", {}}));
    EXPECT_TRUE(price.refused.empty()) << name;
    EXPECT_EQ(price.units.size(), 1u) << name;
    return price.units.at(0).alone();
  }
  double account(const std::string& name) const {
    for (const auto& a : program->accounts()) {
      if (a.name == name) return a.value;
    }
    ADD_FAILURE() << "no account " << name;
    return 0;
  }

  dataplane::Pipeline pipeline{"tor.pipe0", 0, 1};
  std::unique_ptr<programs::Program> program;
};

// Fields in bytes: opcode 1, QPN 3, IPv4 address 4, UDP port 2, five-tuple 13, flags 1 each, PSN's
// low bits 2, packets in a queue 4.
TEST(ObjectPrices, ReadersTakeTheBytesOfTheirFields) {
  struct Row {
    const char *program, *parameters, *object;
    std::int64_t bytes, hash_bits;
  };
  for (const auto& r : {
           // 32 bits are the four bytes that a gateway compares: none by hash.
           Row{"conweave", "", "is_empty", 4, 0},
           Row{"conweave", "", "flow_hash", 10, 16},  // addresses and UDP source port
           // A sample in each of three groups, of the seven bits that queues are numbered by.
           Row{"conweave", "", "queue_hash", 10, 3 * 7},
           Row{"forward", "", "path_hash", 13, 32},
           Row{"pnp_trp", "", "path_hash", 13, 32},
           Row{"pnp_trp", "", "is_expired", 2, 0},
           Row{"pnp_trp", "judged_by = \"any\"\n", "is_expired", 1, 0},
           Row{"pnp_trp", "", "is_data", 1, 8},     // below a constant: by hash
           Row{"pnp_trp", "", "flow_hash", 7, 32},  // node and queue pair
           Row{"themis", "", "is_local_response", 2, 0},
           Row{"themis", "", "is_nack", 2, 0},
           Row{"themis", "", "base_path", 13, 16},
           // Below a power of two the bits above it are compared: of 16 below 256 one byte.
           Row{"themis_queue", "queue_entries = 256\nqueue_registers = 4\n", "queue_fits", 1, 0},
           Row{"themis_queue", "queue_entries = 128\nqueue_registers = 4\n", "queue_fits", 2, 0},
       }) {
    const Amounts needs = Program(r.program, r.parameters).of(r.object);
    EXPECT_EQ(needs[Resource::exact_xbar], r.bytes) << r.program << ' ' << r.object;
    EXPECT_EQ(needs[Resource::hash_bits], r.hash_bits) << r.program << ' ' << r.object;
  }
  // Destination and queue pair of the long haul's table of peers.
  EXPECT_EQ(Program("pnp_trp").of("peer_qp")[Resource::exact_xbar], 4 + 3);
}

// conweave-p4 10d0341, leaf_conweave_resource registers_ingress.p4: an action for each way to reach
// a register, which a table of its own runs.
TEST(ObjectPrices, ConweavesRegistersAreReachedFromTheTablesOfItsCode) {
  struct Row {
    const char* object;
    std::int64_t tables;
  };
  const Program conweave("conweave");
  for (const auto& [object, tables] : {
           Row{"epoch", 3},  // do_get_epoch, do_compare_epoch, do_increase_epoch
           Row{"phase", 3},  // do_get_phase, do_compare_phase, do_set_update_phase
           Row{"path", 3},   // do_update_port_if_expired, _if_reply_timeout, do_get_current_port
           Row{"tail_time", 3},  // do_get_tail_ts, do_set_tail_ts_now, _zero
           Row{"queued", 3},     // do_reset_q_pkt_cntr_ig, do_update_, do_read_
           Row{"epoch_rx", 4},   // do_check_epoch_pkt_0_rx to _3_rx
           Row{"phase_rx", 3},   // do_update_phase_new_epoch_rx, _current_epoch_rx, by timeout
       })
    EXPECT_EQ(conweave.of(object)[Resource::logical_table], tables) << object;
}

// A group of queues is asked when the one before had none: in a later stage.
TEST(ObjectPrices, ConweavesGroupsOfQueuesAreAskedInTurn) {
  const Design design = Program("conweave").design();
  const auto chip = dataplane::ChipSpec::find({"tofino2", {}});
  const auto ledger = make_ledger(design, chip, place(design, chip));
  EXPECT_TRUE(ledger.refused.empty());
  const auto stage = [&](const std::string& name) {
    for (const auto& o : ledger.objects) {
      if (o.name == name) return o.stages().at(0);
    }
    throw std::runtime_error("no object " + name);
  };
  for (const auto& [before, next] :
       {std::pair<std::string, std::string>("owner_a", "owner_b"), {"owner_b", "owner_c"}}) {
    EXPECT_LT(stage(before), stage(next));
    EXPECT_TRUE(std::ranges::any_of(design.find(next)->after, [&](const auto& dependency) {
      return dependency.on == before && needs_later_stage(dependency.kind);
    })) << next;
  }
  // As the published report has them: 31 ALUs of the program's own registers, and their map RAMs.
  EXPECT_EQ(ledger.total[Resource::stateful_alu], 31);
  EXPECT_EQ(ledger.total[Resource::map_ram], 215);
}

// Source: three times of 32 bits (active_time, reply_deadline, tail_time) and four of 8 bits
// (stability, epoch, phase, path): 16 bytes. Destination: old_sent, old_arrived,
// tail_sent, queued, resume_at; epoch, phase, old_seen, tail_seen, counts_packets, reordering: 26.
// Egress: tail_left. Not of flows: two copies of four ways of 8 bytes a rack, three groups of
// owners and one count of 4 bytes a queue.
TEST(ObjectPrices, ConweavesStateOfAFlow) {
  const Program conweave("conweave", "flow_entries = 1000\nrack_entries = 4\nqueue_entries = 48\n");
  EXPECT_DOUBLE_EQ(conweave.account("bytes_per_flow"), 16 + 26 + 1);
  EXPECT_DOUBLE_EQ(conweave.account("megabytes_per_tor"),
                   (1000 * 43 + 4 * 2 * 4 * 8 + 48 * (3 + 1) * 4) / 1e6);
}

// Tables 3 and 4 and Eq. 5 of the packet-spraying paper, for its 128 paths, 512 queue pairs of each
// of 16 NICs and a window of 512.
TEST(ObjectPrices, ThemisStateOfAQueuePair) {
  const Program themis("themis");
  EXPECT_DOUBLE_EQ(themis.account("source_bytes_per_qp"), 516);
  EXPECT_DOUBLE_EQ(themis.account("destination_bytes_per_qp"), 661);
  EXPECT_DOUBLE_EQ(themis.account("megabytes_per_tor"), (128 * 2 + (516 + 661) * 512 * 16) / 1e6);
}

// A pass looks at as many entries of the PSN queue as there are arrays, each with its ALU.
TEST(ObjectPrices, ThePsnQueueHasAnAluForEachArray) {
  for (const unsigned arrays : {1u, 4u, 8u}) {
    const Program queue("themis_queue", "queue_registers = " + std::to_string(arrays) + "\n");
    const auto named = [&](const std::string& name) {
      return std::ranges::count_if(queue.design().objects,
                                   [&](const auto& o) { return o.name.starts_with(name); });
    };
    EXPECT_EQ(named("queue_psns"), arrays);
    EXPECT_EQ(named("queue_write"), arrays);
    // Finding the first larger entry: by array to begin with, entries that count, and which.
    const auto& first = std::get<dataplane::MatchSpec>(queue.object("queue_first").spec);
    EXPECT_EQ(first.entries, arrays * arrays * (arrays + 1) / 2);
  }
}

}  // namespace
}  // namespace horae::programs::object_prices_test
