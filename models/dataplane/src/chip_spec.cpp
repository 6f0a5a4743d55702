#include "horae/dataplane/chip_spec.hpp"

#include <fmt/format.h>

#include <bit>

#include "horae/core/error.hpp"
#include "horae/dataplane/shipped_chips.hpp"
#include "horae/params/schema.hpp"

namespace horae::dataplane {

const Schema<StageSpec>& StageSpec::schema() {
  static const Schema<StageSpec> s =
      Schema<StageSpec>("stage", "One match-action stage.")
          .required("sram", &StageSpec::sram, {.doc = "SRAM blocks", .min = 1, .max = 4096})
          .required(
              "sram_words", &StageSpec::sram_words,
              {.doc = "words of an SRAM block", .min = 1, .max = 1048576, .power_of_two = true})
          .required("sram_word_bits", &StageSpec::sram_word_bits,
                    {.doc = "bits of an SRAM word", .min = 8, .max = 4096, .power_of_two = true})
          .required("map_ram", &StageSpec::map_ram,
                    {.doc = "map RAM blocks", .min = 0, .max = 4096})
          .required("tcam", &StageSpec::tcam, {.doc = "TCAM blocks", .min = 0, .max = 4096})
          .required("tcam_entries", &StageSpec::tcam_entries,
                    {.doc = "entries of a TCAM block", .min = 1, .max = 1048576})
          .required("tcam_bits", &StageSpec::tcam_bits,
                    {.doc = "match bits of a TCAM entry", .min = 1, .max = 4096})
          .required("stateful_alu", &StageSpec::stateful_alu,
                    {.doc = "stateful (meter) ALUs", .min = 0, .max = 32})
          .required("statistics_alu", &StageSpec::statistics_alu,
                    {.doc = "statistics (counter) ALUs", .min = 0, .max = 32})
          .required("gateway", &StageSpec::gateway, {.doc = "gateways", .min = 0, .max = 4096})
          .required("vliw", &StageSpec::vliw,
                    {.doc = "VLIW instruction words, two colours each", .min = 0, .max = 4096})
          .required("logical_table", &StageSpec::logical_table,
                    {.doc = "logical tables", .min = 1, .max = 4096})
          .required("hash_bits", &StageSpec::hash_bits,
                    {.doc = "bits of the hash matrix", .min = 0, .max = 65536})
          .required("hash_dist", &StageSpec::hash_dist,
                    {.doc = "hash distribution units", .min = 0, .max = 4096})
          .required("hash_dist_bits", &StageSpec::hash_dist_bits,
                    {.doc = "bits one hash distribution unit delivers", .min = 1, .max = 1024})
          .required("hash_functions", &StageSpec::hash_functions,
                    {.doc = "hash functions: one of each exact table, one of each three hash "
                            "distribution units",
                     .min = 0,
                     .max = 4096})
          .required("ternary_tables", &StageSpec::ternary_tables,
                    {.doc = "tables in TCAM", .min = 0, .max = 4096})
          .required("exact_xbar", &StageSpec::exact_xbar,
                    {.doc = "bytes of the exact-match crossbar", .min = 0, .max = 65536})
          .required("ternary_xbar", &StageSpec::ternary_xbar,
                    {.doc = "bytes of the ternary crossbar", .min = 0, .max = 65536})
          .required("action_data_bus", &StageSpec::action_data_bus,
                    {.doc = "bytes of the action data bus", .min = 0, .max = 65536});
  return s;
}

const Schema<StatefulSpec>& StatefulSpec::schema() {
  static const Schema<StatefulSpec> s =
      Schema<StatefulSpec>("stateful", "RAMs of registers, counters and meters.")
          .required("rows", &StatefulSpec::rows,
                    {.doc = "RAM rows of a stage", .min = 1, .max = 64})
          .required("rams_per_row", &StatefulSpec::rams_per_row,
                    {.doc = "RAMs with a map RAM, per row", .min = 1, .max = 1024})
          .required("reach_rows", &StatefulSpec::reach_rows,
                    {.doc = "rows one ALU reaches, its own included", .min = 1, .max = 64})
          .required("split_core", &StatefulSpec::split_core,
                    {.doc = "nothing crosses from the upper half of the rows to the lower"})
          .required("spare", &StatefulSpec::spare,
                    {.doc = "spare blocks per array", .min = 0, .max = 64})
          .required("cell_bits", &StatefulSpec::cell_bits,
                    {.doc = "widths of a register cell, pairs included", .min = 1})
          .required("index_bits", &StatefulSpec::index_bits,
                    {.doc = "bits of the widest index", .min = 1, .max = 64})
          .field("compares", &StatefulSpec::compares,
                 {.doc = "comparison units of an ALU", .min = 1, .max = 16})
          .field("outputs", &StatefulSpec::outputs,
                 {.doc = "words that an access gives", .min = 1, .max = 16})
          .field("actions", &StatefulSpec::actions,
                 {.doc = "actions of a register", .min = 1, .max = 64})
          .field("constants", &StatefulSpec::constants,
                 {.doc = "constants of a register's actions that an instruction does not hold (-8 "
                         "to 7)",
                  .max = 64});
  return s;
}

const Schema<ExactSpec>& ExactSpec::schema() {
  static const Schema<ExactSpec> s =
      Schema<ExactSpec>("exact", "Layout of exact-match tables.")
          .required("ways", &ExactSpec::ways,
                    {.doc = "least number of ways of a hashed table", .min = 1, .max = 64})
          .required("ghost_bits", &ExactSpec::ghost_bits,
                    {.doc = "key bits an entry need not store", .min = 0, .max = 1024})
          .required("version_bits", &ExactSpec::version_bits,
                    {.doc = "version bits of an entry", .min = 0, .max = 1024})
          .required("overhead_bits", &ExactSpec::overhead_bits,
                    {.doc = "most bits of a RAM word that go to the action", .min = 1, .max = 4096})
          .required("most_packed", &ExactSpec::most_packed,
                    {.doc = "most entries of a wide word", .min = 1, .max = 64})
          .required("most_per_ram", &ExactSpec::most_per_ram,
                    {.doc = "most entries of one RAM word", .min = 1, .max = 64})
          .required("most_wide", &ExactSpec::most_wide,
                    {.doc = "most RAMs of a wide word", .min = 1, .max = 64})
          .required("immediate_bits", &ExactSpec::immediate_bits,
                    {.doc = "action data that fits into an entry", .min = 0, .max = 1024})
          .required("identity_extra_bits", &ExactSpec::identity_extra_bits,
                    {.doc = "key bits beyond a RAM address up to which the key may be the hash",
                     .min = 0,
                     .max = 24});
  return s;
}

const Schema<GatewaySpec>& GatewaySpec::schema() {
  static const Schema<GatewaySpec> s =
      Schema<GatewaySpec>("gateway", "What a gateway compares.")
          .required("search_bytes", &GatewaySpec::search_bytes,
                    {.doc = "bytes on the search bus", .min = 1, .max = 1024})
          .required("hash_bits", &GatewaySpec::hash_bits,
                    {.doc = "bits more through the hash bus", .min = 0})
          .field("payload_rows", &GatewaySpec::payload_rows,
                 {.doc = "fixed entries that it can hold in place of a match table", .max = 64});
  return s;
}

const Schema<LatencySpec>& LatencySpec::schema() {
  static const Schema<LatencySpec> s =
      Schema<LatencySpec>("latency", "MAU cycles.")
          .required("match_dependent", &LatencySpec::match_dependent,
                    {.doc = "a stage that matches on the result of the one before",
                     .min = 1,
                     .max = 10000})
          .required("action_dependent", &LatencySpec::action_dependent,
                    {.doc = "a stage whose actions need the one before", .min = 0, .max = 10000})
          .required("concurrent", &LatencySpec::concurrent,
                    {.doc = "a stage that needs nothing of the one before", .min = 0, .max = 10000})
          .required("stateful", &LatencySpec::stateful,
                    {.doc = "more with a stateful ALU", .min = 0})
          .required("tcam", &LatencySpec::tcam,
                    {.doc = "more with a TCAM or a keyless table", .min = 0})
          .required("turn", &LatencySpec::turn, {.doc = "once, half way", .min = 0, .max = 10000})
          .required("match_dependent_half", &LatencySpec::match_dependent_half,
                    {.doc = "the second half begins match-dependent"})
          .required("crossbar_match_dependent", &LatencySpec::crossbar_match_dependent,
                    {.doc = "a stage that reads headers counts as match-dependent"})
          .required("least_egress", &LatencySpec::least_egress,
                    {.doc = "egress is padded to this", .min = 0, .max = 100000});
  return s;
}

const Schema<PhvSpec>& PhvSpec::schema() {
  static const Schema<PhvSpec> s =
      Schema<PhvSpec>("phv", "Containers of the header vector: numbers of 8, 16 and 32 bits.")
          .field("normal", &PhvSpec::normal, {.doc = "for any operation", .max = 65536})
          .field("mocha", &PhvSpec::mocha, {.doc = "set as a whole", .max = 65536})
          .field("dark", &PhvSpec::dark, {.doc = "set as a whole, and never matched", .max = 65536})
          .field("tagalong", &PhvSpec::tagalong,
                 {.doc = "from the parser to the deparser only", .max = 65536})
          .field("valid_bits", &PhvSpec::valid_bits,
                 {.doc = "bits that say which headers a packet has; 0: not known", .max = 65536})
          .field(
              "clot_bytes", &PhvSpec::clot_bytes,
              {.doc = "bytes of headers that pass the stages without a container", .max = 65536});
  return s;
}

const Schema<ParserSpec>& ParserSpec::schema() {
  static const Schema<ParserSpec> s =
      Schema<ParserSpec>("parser", "Parser and deparser of one gress; 0: not known.")
          .field("rows", &ParserSpec::rows, {.doc = "rows of the TCAM", .max = 1 << 20})
          .field("states", &ParserSpec::states,
                 {.doc = "states that the TCAM can tell apart", .max = 1 << 20})
          .field("match_bits", &ParserSpec::match_bits,
                 {.doc = "bits that a state compares", .max = 1 << 20})
          .field("checksums", &ParserSpec::checksums,
                 {.doc = "checksum units of the parser", .max = 1 << 20})
          .field("deparser_entries", &ParserSpec::deparser_entries,
                 {.doc = "containers that the deparser can put out", .max = 1 << 20})
          .field("deparser_checksums", &ParserSpec::deparser_checksums,
                 {.doc = "checksum units that the deparser of one gress may have", .max = 1 << 20})
          .field(
              "deparser_shared_checksums", &ParserSpec::deparser_shared_checksums,
              {.doc = "of these: units that only one of the two gresses may have", .max = 1 << 20});
  return s;
}

const Schema<TrafficManagerSpec>& TrafficManagerSpec::schema() {
  static const Schema<TrafficManagerSpec> s =
      Schema<TrafficManagerSpec>("traffic_manager", "Packet buffer.")
          .required("cells", &TrafficManagerSpec::cells, {.doc = "cells of the buffer", .min = 1})
          .required("cell", &TrafficManagerSpec::cell, {.doc = "bytes of a cell", .min = Bytes(1)})
          .required("queues_per_pipeline", &TrafficManagerSpec::queues_per_pipeline,
                    {.doc = "queues of a pipeline", .min = 1});
  return s;
}

const Schema<MirrorSpecOfChip>& MirrorSpecOfChip::schema() {
  static const Schema<MirrorSpecOfChip> s =
      Schema<MirrorSpecOfChip>("mirror", "Copies of packets.")
          .required("sessions", &MirrorSpecOfChip::sessions, {.doc = "mirror sessions", .min = 0})
          .required("most_header", &MirrorSpecOfChip::most_header,
                    {.doc = "longest header put before a copy", .min = Bytes(0)})
          .required(
              "buffer_cells", &MirrorSpecOfChip::buffer_cells,
              {.doc = "cells that wait for the traffic manager; 0: no public value", .min = 0});
  return s;
}

const Schema<RecirculationSpec>& RecirculationSpec::schema() {
  static const Schema<RecirculationSpec> s =
      Schema<RecirculationSpec>("recirculation", "From egress back to ingress.")
          .required("rate", &RecirculationSpec::rate,
                    {.doc = "loopback bandwidth of one pipeline", .min = BitRate(1)})
          .required("resubmit", &RecirculationSpec::resubmit,
                    {.doc = "bytes a resubmitted packet carries along", .min = Bytes(0)});
  return s;
}

const Schema<ChipSpec>& ChipSpec::schema() {
  static const Schema<ChipSpec> s =
      Schema<ChipSpec>("chip", "A switch chip as a budget.")
          .required("name", &ChipSpec::name, {.doc = "name of the chip"})
          .required("description", &ChipSpec::description, {.doc = "what it is"})
          .required("pipelines", &ChipSpec::pipelines, {.doc = "pipelines", .min = 1, .max = 64})
          .required("stages", &ChipSpec::stages,
                    {.doc = "match-action stages of a pipeline", .min = 1, .max = 256})
          .required("ports_per_pipeline", &ChipSpec::ports_per_pipeline,
                    {.doc = "front ports of a pipeline", .min = 1})
          .required("mau_clock", &ChipSpec::mau_clock,
                    {.doc = "clock of the match-action pipeline", .min = Hertz(1'000'000)})
          .table("stage", &ChipSpec::stage, StageSpec::schema())
          .table("stateful", &ChipSpec::stateful, StatefulSpec::schema())
          .table("exact", &ChipSpec::exact, ExactSpec::schema())
          .table("gateway", &ChipSpec::gateway, GatewaySpec::schema())
          .table("latency", &ChipSpec::latency, LatencySpec::schema())
          .table("phv", &ChipSpec::phv, PhvSpec::schema())
          .table("parser", &ChipSpec::parser, ParserSpec::schema())
          .table("traffic_manager", &ChipSpec::traffic_manager, TrafficManagerSpec::schema())
          .table("mirror", &ChipSpec::mirror, MirrorSpecOfChip::schema())
          .table("recirculation", &ChipSpec::recirculation, RecirculationSpec::schema());
  return s;
}

std::uint32_t StatefulSpec::most_data_blocks() const {
  const std::uint32_t within = split_core ? rows / 2 : rows;
  const std::uint32_t reached = std::min(reach_rows, within);
  return reached * rams_per_row - spare;
}

std::int64_t ChipSpec::capacity(Resource r) const {
  switch (r) {
    case Resource::sram:
      return stage.sram;
    case Resource::map_ram:
      return stage.map_ram;
    case Resource::tcam:
      return stage.tcam;
    case Resource::stateful_alu:
      return stage.stateful_alu;
    case Resource::statistics_alu:
      return stage.statistics_alu;
    case Resource::gateway:
      return stage.gateway;
    case Resource::vliw:
      return stage.vliw;
    case Resource::logical_table:
      return stage.logical_table;
    case Resource::hash_bits:
      return stage.hash_bits;
    case Resource::hash_dist:
      return stage.hash_dist;
    case Resource::exact_xbar:
      return stage.exact_xbar;
    case Resource::ternary_xbar:
      return stage.ternary_xbar;
    case Resource::action_data_bus:
      return stage.action_data_bus;
  }
  throw ModelError("chip: an unknown resource");
}

ChipSpec ChipSpec::read(const Section& section) {
  const auto chip = section.read<ChipSpec>();
  const auto refuse = [&](std::string_view table, std::string_view key, std::string message) {
    throw section.child(table).error(key, message);
  };
  if (chip.name.empty()) throw section.error("name", "name is empty");
  if (chip.stateful.reach_rows > chip.stateful.rows) {
    refuse("stateful", "reach_rows",
           fmt::format("reach_rows = {} is above rows = {}", chip.stateful.reach_rows,
                       chip.stateful.rows));
  }
  if (chip.stateful.most_data_blocks() + chip.stateful.spare <= chip.stateful.spare ||
      chip.stateful.spare >= chip.stateful.rams_per_row * chip.stateful.reach_rows) {
    refuse("stateful", "spare",
           fmt::format("spare = {} leaves no data block within reach", chip.stateful.spare));
  }
  if (std::uint64_t{chip.stateful.rows} * chip.stateful.rams_per_row > chip.stage.map_ram) {
    refuse("stateful", "rams_per_row",
           fmt::format("{} rows of {} RAMs are more than the stage's {} map RAMs",
                       chip.stateful.rows, chip.stateful.rams_per_row, chip.stage.map_ram));
  }
  if (chip.stateful.cell_bits.empty()) refuse("stateful", "cell_bits", "cell_bits is empty");
  for (const std::uint32_t bits : chip.stateful.cell_bits) {
    if (std::has_single_bit(bits) && bits <= chip.stage.sram_word_bits) continue;
    refuse("stateful", "cell_bits",
           fmt::format("cell_bits: {} is no power of two up to a word's {} bits", bits,
                       chip.stage.sram_word_bits));
  }
  const std::pair<const char*, const std::vector<std::uint32_t>*> kinds[] = {
      {"normal", &chip.phv.normal},
      {"mocha", &chip.phv.mocha},
      {"dark", &chip.phv.dark},
      {"tagalong", &chip.phv.tagalong}};
  for (const auto& [key, kind] : kinds) {
    if (kind->size() == 3) continue;
    refuse("phv", key,
           fmt::format("{} has {} numbers; expected three: containers of 8, 16 and 32 bits", key,
                       kind->size()));
  }
  if (chip.parser.deparser_shared_checksums > chip.parser.deparser_checksums) {
    refuse("parser", "deparser_shared_checksums",
           fmt::format("deparser_shared_checksums = {} is above deparser_checksums = {}",
                       chip.parser.deparser_shared_checksums, chip.parser.deparser_checksums));
  }
  return chip;
}

const std::vector<std::string>& ChipSpec::shipped() {
  static const std::vector<std::string> names = names_of(shipped_chips);
  return names;
}

ChipSpec ChipSpec::find(const Located<std::string>& chip) {
  return read(find_document(chip, shipped_chips, "chip", "chips").root());
}

}  // namespace horae::dataplane
