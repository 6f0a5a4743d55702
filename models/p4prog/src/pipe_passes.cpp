#include "horae/p4prog/pipe_passes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/p4prog/layout.hpp"

namespace horae::p4prog {

using dataplane::Gress;
using dataplane::Pass;

namespace {

// Open Tofino, "Tofino Native Architecture": bytes of the gresses' intrinsic metadata, and of the
// port's metadata or what is resubmitted.
constexpr std::uint32_t intrinsic_bytes[2] = {8, 28};
constexpr std::uint32_t most_front_words = 8;
constexpr std::uint32_t port_metadata_bytes[2] = {8, 24};

constexpr std::string_view before_packet[2] = {"ingress_intrinsic_metadata_t",
                                               "egress_intrinsic_metadata_t"};
constexpr std::string_view from_parser[2] = {"ingress_intrinsic_metadata_from_parser_t",
                                             "egress_intrinsic_metadata_from_parser_t"};
constexpr std::string_view for_deparser[2] = {"ingress_intrinsic_metadata_for_deparser_t",
                                              "egress_intrinsic_metadata_for_deparser_t"};
constexpr std::string_view for_tm = "ingress_intrinsic_metadata_for_tm_t";

/// The bits of parser_err (open Tofino, tofino1_base.p4: PARSER_ERROR_*).
std::uint64_t parser_error_bits(const std::string& name) {
  if (name == "NoError") return 0;
  if (name == "NoMatch") return 0x0001;
  if (name == "PacketTooShort" || name == "HeaderTooShort") return 0x0002;
  if (name == "CounterRange") return 0x0004;
  if (name == "StackOutOfBounds") return 0xc000;
  return 0x0008;
}

/// Error of an extract of bytes that are not there (likewise, PARSER_ERROR_SRC_EXT;
/// measured: a vendor's case that reads 0x22).
constexpr std::uint64_t source_extract_error = 0x0020;

/// In place of bytes that nobody reads, and of what no port has.
constexpr std::array<std::uint8_t, 8 * most_front_words + port_metadata_bytes[1]> zeros{};

std::uint64_t nanoseconds(Picoseconds t) { return static_cast<std::uint64_t>(t.count()) / 1000; }

}  // namespace

PipePasses::PipePasses(const p4lang::Program& program, const PipeCode& code,
                       dataplane::Pipeline& pipeline, const ManagerTables& manager, bool tofino2,
                       unsigned cpu_port)
    : program_(program),
      v1model_(code.v1model),
      manager_(manager),
      tofino2_(tofino2),
      cpu_port_(cpu_port) {
  for (const Gress g : {Gress::ingress, Gress::egress}) {
    const auto n = static_cast<std::size_t>(g);
    if (!code.gress[n].present) continue;
    machines_[n] = std::make_unique<Machine>(program, code.gress[n], pipeline, g);
    if (v1model_) {
      machines_[n]->without_fcs();
      continue;
    }
    front_[n] = front_of(*machines_[n], before_packet[n], intrinsic_bytes[n]);
    find_words(g);
  }
  for (const std::string& name : program.errors) error_bits_.push_back(parser_error_bits(name));
}

std::vector<Machine*> PipePasses::machines() const {
  std::vector<Machine*> out;
  for (const auto& machine : machines_) {
    if (machine) out.push_back(machine.get());
  }
  return out;
}

void PipePasses::watch_unwritten() {
  for (Machine* m : machines()) m->watch_unwritten();
}

void PipePasses::stop_watching() {
  for (Machine* m : machines()) m->stop_watching();
}

void PipePasses::fill_unwritten(std::uint64_t seed, const std::string& name) {
  const auto all = machines();
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i]->fill_unwritten(RandomStream(seed, fmt::format("{}.unwritten{}", name, i)));
}

std::vector<std::string> PipePasses::take_warnings() {
  std::vector<std::string> out;
  for (Machine* m : machines()) {
    for (const UnwrittenRead& read : m->take_unwritten())
      out.push_back(fmt::format("{}: {} is read before it is written",
                                program_.place_text(read.place), read.name));
  }
  return out;
}

void PipePasses::find_words(Gress gress) {
  const auto n = static_cast<std::size_t>(gress);
  const Machine& m = *machines_[n];
  Words& w = words_[n];
  w.stamp = m.intrinsic(from_parser[n], "global_tstamp");
  w.error = m.intrinsic(from_parser[n], "parser_err");
  w.drop = m.intrinsic(for_deparser[n], "drop_ctl");
  w.mirror_type = m.intrinsic(for_deparser[n], "mirror_type");
  w.resubmit_type = m.intrinsic(for_deparser[n], "resubmit_type");
  w.digest_type = m.intrinsic(for_deparser[n], "digest_type");
  w.unicast = m.intrinsic(for_tm, "ucast_egress_port");
  w.group_a = m.intrinsic(for_tm, "mcast_grp_a");
  w.group_b = m.intrinsic(for_tm, "mcast_grp_b");
  w.to_cpu = m.intrinsic(for_tm, "copy_to_cpu");
  w.rid = m.intrinsic(for_tm, "rid");
  w.exclusion1 = m.intrinsic(for_tm, "level1_exclusion_id");
  w.exclusion2 = m.intrinsic(for_tm, "level2_exclusion_id");
  w.qid = m.intrinsic(for_tm, "qid");
  w.cos = m.intrinsic(for_tm, "ingress_cos");
  w.bypass = m.intrinsic(for_tm, "bypass_egress");
  w.deflect = m.intrinsic(for_tm, "deflect_on_drop");
  w.generator = m.intrinsic(for_deparser[n], "pktgen");
  w.generator_address = m.intrinsic(for_deparser[n], "pktgen_address");
  w.generator_length = m.intrinsic(for_deparser[n], "pktgen_length");
}

/// The chip's header before packets, as the program declares it; else so many bytes.
PipePasses::Front PipePasses::front_of(const Machine& machine, std::string_view type,
                                       std::uint32_t bytes) {
  static constexpr std::pair<std::string_view, Fact> known[] = {
      {"resubmit_flag", Fact::resubmit_flag},
      {"ingress_port", Fact::ingress_port},
      {"ingress_mac_tstamp", Fact::now},
      {"egress_port", Fact::egress_port},
      {"egress_rid", Fact::rid},
      {"egress_rid_first", Fact::first_replica},
      {"egress_qid", Fact::qid},
      {"egress_cos", Fact::cos},
      {"pkt_length", Fact::length},
      {"enq_tstamp", Fact::queued},
      {"deq_timedelta", Fact::waited},
      {"enq_qdepth", Fact::cells_before},
      {"deq_qdepth", Fact::cells_behind},
      {"deflection_flag", Fact::deflected}};
  const p4lang::Type* t = machine.intrinsic_type(type);
  Front out;
  out.bytes = bytes;
  if (t == nullptr || t->fields.empty()) return out;
  std::vector<Piece> pieces;
  for (const p4lang::Field& f : t->fields) {
    Fact fact = Fact::zero;
    for (const auto& [name, which] : known) {
      if (f.name == name) fact = which;
    }
    pieces.push_back({static_cast<std::uint32_t>(fact), bits_of(*f.type), 0});
    out.facts_of_fields.push_back(fact);
  }
  out.facts = pack_plan(pieces);
  out.facts.leave_out(static_cast<std::uint32_t>(Fact::zero));
  out.bytes = (out.facts.bits + 7) / 8;
  if (out.facts.words > most_front_words)
    throw InputError(fmt::format("{} of more than {} bytes", t->name, 8 * most_front_words));
  find_first_header(out, machine, *t);
  return out;
}

/// Fields of the chip's header are words already where the parser extracts it first, and nobody
/// reads its bytes.
void PipePasses::find_first_header(Front& front, const Machine& machine, const p4lang::Type& type) {
  const HeaderCode* header = machine.first_header();
  if (header == nullptr || header->name != type.name || header->fixed_bits != 8 * front.bytes)
    return;
  for (std::uint32_t i = 0; i < type.fields.size(); ++i) {
    const std::uint32_t offset = offset_of(type, i), bits = bits_of(*type.fields[i].type);
    const auto fact = front.facts_of_fields[i];
    if (fact == Fact::zero) continue;
    if (std::ranges::find(header->named, offset, &FieldCode::offset) != header->named.end())
      front.words.push_back({fact, {machine.first_header_word() + offset, 0, bits}});
  }
  front.is_in_words = true;
}

/// Begins a pass of a packet with those words, and `behind` zeros between that header and the
/// packet; false where its bytes are needed.
bool PipePasses::begin_in_words(Gress gress, const Facts& facts, std::size_t behind,
                                std::span<const std::uint8_t> packet) {
  const auto n = static_cast<std::size_t>(gress);
  Machine& machine = *machines_[n];
  if (!front_[n].is_in_words || machine.is_watched()) return false;
  machine.begin(std::span(zeros).first(front_[n].bytes + behind), packet);
  for (const Front::Word& w : front_[n].words)
    machine.set(w.word, facts[static_cast<std::size_t>(w.fact)]);
  machine.take_first_header();
  return true;
}

void PipePasses::put_front(const Front& front, const Facts& facts) {
  std::array<std::uint64_t, most_front_words> words;
  front.facts.pack(facts.data(), words.data());
  put_.begin();
  put_.put_words(std::span(words).first(front.facts.words));
  put_.resize(front.bytes);
}

std::size_t PipePasses::begin_ingress(const Pass& pass, unsigned port,
                                      std::span<const std::uint8_t> packet,
                                      const Bytes8* resubmitted) {
  Facts facts{};
  facts[static_cast<std::size_t>(Fact::resubmit_flag)] = resubmitted != nullptr ? 1 : 0;
  facts[static_cast<std::size_t>(Fact::ingress_port)] = port;
  facts[static_cast<std::size_t>(Fact::now)] = nanoseconds(pass.now());
  const std::size_t behind = port_metadata_bytes[tofino2_ ? 1 : 0], all = front_[0].bytes + behind;
  const auto own = manager_.port_metadata.find(port);
  const bool has_own = resubmitted == nullptr && own != manager_.port_metadata.end();
  if (resubmitted == nullptr && !has_own && begin_in_words(Gress::ingress, facts, behind, packet))
    return all;
  put_front(front_[0], facts);
  if (resubmitted != nullptr) {
    put_.append(*resubmitted);
  } else if (has_own) {
    put_.append(own->second);
  }
  put_.resize(all);
  machines_[0]->begin(put_.bytes(), packet);
  return all;
}

bool PipePasses::parse(Machine& machine, const Words& words, const Pass& pass) {
  const bool good = machine.parse(pass);
  machine.set(words.stamp, nanoseconds(pass.now()));
  machine.set(words.error, error_bits_.at(machine.result().error) |
                               (machine.short_extract() ? source_extract_error : 0));
  return good;
}

PassResult& PipePasses::deparse(Machine& machine, const Words& words, const Pass& pass) {
  PassResult& out = machine.deparse(pass);
  const auto unasked = [&](const Machine::IntrinsicWord& type) {
    return type.mark != 0 && !machine.written(type);
  };
  if (unasked(words.mirror_type)) out.mirror.reset();
  if (unasked(words.resubmit_type)) out.resubmit.reset();
  if (unasked(words.digest_type)) out.digests.clear();
  return out;
}

PassNote PipePasses::note_of(const Machine& machine, std::uint64_t instructions_before) const {
  return {machine.result().parsed_bytes, machine.result().error,
          machine.instructions() - instructions_before, machine.missed(),
          machine.dropped_by_miss()};
}

IngressResult& PipePasses::ingress(const Pass& pass, unsigned port, FrameBytes& packet,
                                   const Bytes8* resubmitted) {
  if (!machines_[0]) throw InputError("the pipe has no ingress");
  Machine& machine = *machines_[0];
  const std::uint64_t before = machine.instructions();
  ingress_.departures.clear();
  ingress_.copy.reset();
  ingress_.message.reset();
  ingress_.told_to_drop = false;
  begin_ingress(pass, port, packet, resubmitted);
  if (!parse(machine, words_[0], pass) && !machine.code().names_parser_error) {
    ingress_.end = IngressResult::End::dropped_by_parser;
    ingress_.note = note_of(machine, before);
    return ingress_;
  }
  machine.control(pass);
  PassResult& result = deparse(machine, words_[0], pass);
  ingress_.note = note_of(machine, before);
  if (!result.digests.empty())
    std::move(result.digests.begin(), result.digests.end(), std::back_inserter(digests_));
  const std::uint64_t drop = machine.value(words_[0].drop);
  ingress_.told_to_drop = (drop & 1) != 0;
  if (result.resubmit && !ingress_.told_to_drop && resubmitted == nullptr) {
    ingress_.end = IngressResult::End::resubmitted;
    ingress_.resubmitted = std::move(*result.resubmit);
    return ingress_;
  }
  ingress_.end = IngressResult::End::managed;
  choose_ways(machine);
  if (result.generator && machine.value(words_[0].generator) != 0) take_message(machine, result);
  if (result.mirror && (drop & 4) == 0) ingress_.copy = mirrored(*result.mirror, packet);
  result.put_into(packet);
  return ingress_;
}

void PipePasses::ghost(const Pass& pass, unsigned queue, std::uint64_t depth) {
  Machine& machine = *machines_[0];
  machine.begin({}, {});
  const auto set = [&](std::string_view field, std::uint64_t value) {
    machine.set(machine.intrinsic("ghost_intrinsic_metadata_t", field), value);
  };
  // Packets see the other half of a pair of registers than the one that is being written.
  set("ping_pong", 1);
  set("qlength", depth);
  set("qid", queue);
  set("pipe_id", pass.where().pipeline);
  machine.ghost(pass);
}

/// Keeps the message of the deparser to the packet generator. Of the address the chip takes the
/// number of a row of the buffer (open-p4studio, tna_pktgen).
void PipePasses::take_message(const Machine& machine, PassResult& result) {
  constexpr std::uint64_t rows = GeneratorTable::buffer_bytes / GeneratorTable::row_bytes;
  const std::uint64_t row = machine.value(words_[0].generator_address) % rows;
  ingress_.message = {
      .port = 0,
      .bytes = std::move(*result.generator),
      .offset = static_cast<std::uint32_t>(row * GeneratorTable::row_bytes),
      .length = static_cast<std::uint32_t>(machine.value(words_[0].generator_length))};
}

/// The copies that the traffic manager makes.
void PipePasses::choose_ways(const Machine& machine) {
  const Words& w = words_[0];
  Departure out;
  out.qid = static_cast<unsigned>(machine.value(w.qid));
  out.cos = static_cast<unsigned>(machine.value(w.cos));
  out.bypass = machine.value(w.bypass) != 0;
  out.deflects = machine.value(w.deflect) != 0;
  out.rid = static_cast<unsigned>(machine.value(w.rid));
  if (!ingress_.told_to_drop) {
    if (machine.written(w.unicast)) {
      out.port = static_cast<unsigned>(machine.value(w.unicast));
      ingress_.departures.push_back(out);
    }
    if (machine.written(w.group_a)) add_group(machine, w.group_a, out);
    if (machine.written(w.group_b)) add_group(machine, w.group_b, out);
  }
  if (machine.value(w.to_cpu) != 0 && (machine.value(w.drop) & 2) == 0) {
    out.by = Departure::By::copy_to_cpu;
    out.port = cpu_port_;
    ingress_.departures.push_back(out);
  }
}

/// Pruning of the replication tree: a node by its exclusion id, ports of the packet's own node by
/// theirs (Open Tofino, tofino1_base.p4: level1_exclusion_id, level2_exclusion_id; own rule: which
/// node level 2 is of).
bool PipePasses::is_excluded(const Machine& machine, const Replica& replica, unsigned rid) const {
  if (replica.exclusion == machine.value(words_[0].exclusion1)) return true;
  if (replica.rid != rid || manager_.exclusions.empty()) return false;
  const auto ports =
      manager_.exclusions.find(static_cast<unsigned>(machine.value(words_[0].exclusion2)));
  return ports != manager_.exclusions.end() && ports->second.contains(replica.port);
}

void PipePasses::add_group(const Machine& machine, const Machine::IntrinsicWord& group,
                           const Departure& like) {
  const auto number = static_cast<unsigned>(machine.value(group));
  const auto found = manager_.groups.find(number);
  if (number == 0 || found == manager_.groups.end()) return;
  bool first = true;
  for (const Replica& r : found->second) {
    if (is_excluded(machine, r, like.rid)) continue;
    Departure copy = like;
    copy.by = Departure::By::group;
    copy.group = static_cast<std::uint16_t>(number);
    copy.port = r.port;
    copy.rid = r.rid;
    copy.first_replica = std::exchange(first, false);
    ingress_.departures.push_back(copy);
  }
}

/// A session that nobody set up sends nothing.
std::optional<MirroredPacket> PipePasses::mirrored(const PassResult::Copy& copy,
                                                   std::span<const std::uint8_t> packet) const {
  const auto session = manager_.sessions.find(copy.session);
  if (session == manager_.sessions.end()) return std::nullopt;
  MirroredPacket out{session->second, FrameBytes(packet)};
  out.bytes.put_before(copy.header.size());
  std::ranges::copy(copy.header, out.bytes.begin());
  if (out.session.most_bytes != 0 && out.bytes.size() > out.session.most_bytes)
    out.bytes.resize(out.session.most_bytes);
  return out;
}

std::size_t PipePasses::begin_egress(const Pass& pass, const Departure& departure,
                                     std::span<const std::uint8_t> packet) {
  Machine& machine = *machines_[1];
  // A parser that does not take it does not see it.
  if (!machine.code().extracts_intrinsic) {
    machine.begin({}, packet);
    return 0;
  }
  Facts facts{};
  const auto fact = [&](Fact f) -> std::uint64_t& { return facts[static_cast<std::size_t>(f)]; };
  fact(Fact::egress_port) = departure.port;
  fact(Fact::rid) = departure.rid;
  fact(Fact::first_replica) = departure.first_replica ? 1 : 0;
  fact(Fact::qid) = departure.qid;
  fact(Fact::cos) = departure.cos;
  fact(Fact::length) = pass.header().frame;
  fact(Fact::queued) = nanoseconds(departure.queued);
  fact(Fact::waited) = nanoseconds(pass.now() - departure.queued);
  fact(Fact::cells_before) = departure.cells_before;
  fact(Fact::cells_behind) = departure.cells_behind;
  fact(Fact::deflected) = departure.deflected ? 1 : 0;
  if (!begin_in_words(Gress::egress, facts, 0, packet)) {
    put_front(front_[1], facts);
    machine.begin(put_.bytes(), packet);
  }
  return front_[1].bytes;
}

EgressResult& PipePasses::egress(const Pass& pass, const Departure& departure, FrameBytes& packet) {
  Machine& machine = *machines_[1];
  const std::uint64_t before = machine.instructions();
  begin_egress(pass, departure, packet);
  parse(machine, words_[1], pass);  // egress never drops for an error
  machine.control(pass);
  PassResult& result = deparse(machine, words_[1], pass);
  egress_.note = note_of(machine, before);
  const std::uint64_t drop = machine.value(words_[1].drop);
  egress_.told_to_drop = (drop & 1) != 0;
  result.put_into(packet);
  egress_.copy.reset();
  if (result.mirror && (drop & 4) == 0) egress_.copy = mirrored(*result.mirror, packet);
  return egress_;
}

std::uint32_t PipePasses::parsed_bytes(const Pass& pass, unsigned port,
                                       std::span<const std::uint8_t> packet,
                                       const Bytes8* resubmitted) {
  if (!machines_[0]) return 0;
  return parsed_behind(begin_ingress(pass, port, packet, resubmitted), *machines_[0], pass);
}

std::uint32_t PipePasses::parsed_bytes(const Pass& pass, const Departure& departure,
                                       std::span<const std::uint8_t> packet) {
  return parsed_behind(begin_egress(pass, departure, packet), *machines_[1], pass);
}

std::uint32_t PipePasses::parsed_behind(std::size_t front, Machine& machine, const Pass& pass) {
  machine.parse(pass);
  const auto before = static_cast<std::uint32_t>(front);
  return std::max(machine.result().parsed_bytes, before) - before;
}

}  // namespace horae::p4prog
