#include "horae/programs/rehearsal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/dataplane/place/field_order.hpp"

namespace horae::programs {
namespace {

using dataplane::DesignObject;
using dataplane::Gress;
using dataplane::Pass;
using dataplane::Verdict;

/// Fields of a packet that instructions alone can change, by the names of the headers.
std::vector<std::string_view> changed(const Packet& before, const Packet& after) {
  std::vector<std::string_view> out;
  const auto compare = [&](const auto& a, const auto& b, std::string_view name) {
    if (a != b) out.push_back(name);
  };
  compare(before.src, after.src, "ip.src");
  compare(before.dst, after.dst, "ip.dst");
  compare(before.ecn, after.ecn, "ip.ecn");
  compare(before.hop_limit, after.hop_limit, "ip.ttl");
  compare(before.entropy, after.entropy, "udp.src_port");
  compare(before.opcode, after.opcode, "bth.opcode");
  compare(before.dest_qp, after.dest_qp, "bth.dest_qp");
  compare(before.psn, after.psn, "bth.psn");
  compare(before.ack_request, after.ack_request, "bth.ack_request");
  compare(before.bth_reserved, after.bth_reserved, "bth.reserved");
  compare(before.syndrome, after.syndrome, "aeth.syndrome");
  compare(before.msn, after.msn, "aeth.msn");
  compare(before.metadata, after.metadata, "metadata");
  return out;
}

class Rehearser {
 public:
  Rehearser(Program& program, const dataplane::Pipeline& pipeline, const Routes& routes)
      : program_(program), pipeline_(pipeline), routes_(routes) {
    for (const auto& o : pipeline.design().objects) {
      if (const auto* c = std::get_if<dataplane::ConditionSpec>(&o.spec))
        decided_.insert(c->guards.begin(), c->guards.end());
      const bool follows = std::ranges::any_of(
          o.after, [](const auto& d) { return d.kind == dataplane::DependencyKind::control; });
      if (follows || !host_table(o.spec).empty()) decided_.insert(o.name);
    }
  }

  Rehearsal run() {
    try {
      send_all();
    } catch (const std::exception& e) {
      out_.stopped = e.what();
    }
    find_branches();
    for (const auto& [field, gress] : rewritten_) {
      const bool metadata = field == "metadata";
      out_.unpriced.push_back({metadata ? Unpriced::Kind::metadata : Unpriced::Kind::rewrite, gress,
                               std::string(field)});
    }
    return std::move(out_);
  }

 private:
  void send_all() {
    std::vector<const Routes::Entry*> here, there;
    for (const auto& e : routes_.entries)
      if (!e.ports.empty()) (e.attached ? here : there).push_back(&e);
    std::vector<std::pair<const Routes::Entry*, const Routes::Entry*>> ways;
    const auto other = [&](std::size_t i) {
      if (!there.empty()) return there[i % there.size()];
      return here[(i + 1) % here.size()];
    };
    for (std::size_t i = 0; i < std::min<std::size_t>(2, here.size()); ++i) {
      if (here[i] == other(i)) continue;
      ways.emplace_back(here[i], other(i));
      ways.emplace_back(other(i), here[i]);
    }
    std::uint32_t n = 0;
    for (const auto& [from, to] : ways) {
      const Connection c{from->node, to->node, Qpn(0x40 + n), Qpn(0x60 + n),
                         entropy,    Psn(0),   Picoseconds{}, false};
      program_.connect(c);
      connections_.push_back(c);
      ++n;
    }
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      const auto& [from, to] = ways[i];
      const auto& c = connections_[i];
      for (std::uint32_t psn = 0; psn < packets; ++psn) {
        if (psn % 8 == 5) continue;  // comes late, as a retransmission
        send(data(c, psn), *from);
        if (psn % 8 == 7) send(data(c, psn - 2, true), *from);
        if (psn % 4 == 3) send(response(c, Opcode::acknowledge, psn, 0), *to);
        if (psn % 8 == 6)
          send(response(c, Opcode::acknowledge, psn - 1, syndrome::nak_psn_sequence), *to);
        if (psn % 16 == 9) send(response(c, Opcode::cnp, 0, 0), *to);
      }
    }
  }

  static constexpr std::uint16_t entropy = 0xc001;
  static constexpr std::uint32_t packets = 48;
  static constexpr unsigned most_rounds = 4;  ///< of a packet that goes around

  Packet blank(NodeId src, NodeId dst) {
    Packet p;
    p.id = ++id_;
    p.src = src;
    p.dst = dst;
    p.entropy = entropy;
    return p;
  }
  Packet data(const Connection& c, std::uint32_t psn, bool again = false) {
    Packet p = blank(c.sender, c.receiver);
    p.dest_qp = c.receiver_qp;
    p.psn = Psn(psn);
    p.opcode = psn == 0             ? Opcode::write_first
               : psn + 1 == packets ? Opcode::write_last
                                    : Opcode::write_middle;
    p.payload = 1024;
    p.frame = 1088;
    p.retransmission = again;
    p.ecn = psn % 5 == 4 ? Ecn::ce : Ecn::ect0;
    return p;
  }
  Packet response(const Connection& c, Opcode opcode, std::uint32_t psn, std::uint8_t syndrome) {
    Packet p = blank(c.receiver, c.sender);
    p.dest_qp = c.sender_qp;
    p.psn = Psn(psn);
    p.opcode = opcode;
    p.syndrome = syndrome;
    p.frame = 64;
    return p;
  }

  bool of_this(unsigned port) const {
    return port >= routes_.pipeline_of_port.size() ||
           routes_.pipeline_of_port[port] == pipeline_.index();
  }

  void send(Packet p, const Routes::Entry& from) {
    for (const std::uint16_t port : from.ports) {
      if (!of_this(port)) continue;
      now_ = now_ + Picoseconds(1'000'000);
      return enter(p, port, 0);
    }
  }

  void enter(Packet p, unsigned port, unsigned round) {
    const Packet before = p;
    Pass pass(p, {pipeline_.index(), Gress::ingress}, passes_++, port, now_);
    program_.ingress(pass);
    look(pass, before, p);
    if (const auto& copy = pass.mirror_request()) make_copy(p, *copy, port, round);
    if (pass.verdict() == Verdict::forward) leave(p, pass.egress_port(), port, {}, round);
    if (pass.verdict() == Verdict::recirculate && round < most_rounds) enter(p, port, round + 1);
  }

  void leave(Packet p, unsigned port, unsigned came_by, const dataplane::MirrorHeader& header,
             unsigned round) {
    if (port != dataplane::loopback_port && !of_this(port)) return;
    const Packet before = p;
    Pass pass(p, {pipeline_.index(), Gress::egress}, passes_++, came_by, now_);
    pass.leaves_by(port);
    pass.set_mirror_header(header);
    program_.egress(pass);
    look(pass, before, p);
    if (const auto& copy = pass.mirror_request()) make_copy(p, *copy, came_by, round);
  }

  void make_copy(Packet p, const dataplane::MirrorRequest& request, unsigned came_by,
                 unsigned round) {
    if (round >= most_rounds) return;
    p.mirror_type = request.type;
    p.metadata = request.metadata;
    if (request.length != 0) p.frame = std::min(p.frame, request.length);
    leave(p, request.egress_port, came_by, request.header, round + 1);
  }

  /// Counts the objects that the pass used, and notes changes that none of them made.
  void look(const Pass& pass, const Packet& before, const Packet& after) {
    ++out_.passes;
    const Gress gress = pass.where().gress;
    ++in_gress_[static_cast<std::size_t>(gress)];
    bool writes = false;
    const auto& design = pipeline_.design().objects;
    const auto& objects = pipeline_.objects();
    for (std::size_t i = 0; i < objects.size() && i < design.size(); ++i) {
      if (design[i].gress != gress || !objects[i]->used_in(pass.serial())) continue;
      ++counts_[i];
      writes |= std::holds_alternative<dataplane::ActionSpec>(design[i].spec) ||
                !dataplane::fields_of(design[i]).writes.empty();
    }
    if (writes) return;
    for (const auto field : changed(before, after)) rewritten_.emplace(field, gress);
  }

  /// Objects that some passes use and others do not, though nothing decides it.
  void find_branches() {
    const auto& design = pipeline_.design().objects;
    for (const auto& [i, passes] : counts_) {
      const DesignObject& o = design[i];
      if (decided_.contains(o.name) || passes == in_gress_[static_cast<std::size_t>(o.gress)])
        continue;
      out_.unpriced.push_back({Unpriced::Kind::branch, o.gress, o.name});
    }
  }

  Program& program_;
  const dataplane::Pipeline& pipeline_;
  const Routes& routes_;
  std::set<std::string> decided_;  ///< objects that a gateway or a table lets run
  std::vector<Connection> connections_;
  std::map<std::size_t, std::uint64_t> counts_;  ///< passes that used an object of the design
  std::uint64_t in_gress_[2] = {0, 0};           ///< passes
  std::set<std::pair<std::string_view, Gress>> rewritten_;
  std::uint64_t id_ = 0, passes_ = 0;
  Picoseconds now_{};
  Rehearsal out_;
};

}  // namespace

Rehearsal rehearse(Program& program, const dataplane::Pipeline& pipeline, const Routes& routes) {
  return Rehearser(program, pipeline, routes).run();
}

std::string_view kind_name(Unpriced::Kind kind) {
  switch (kind) {
    case Unpriced::Kind::rewrite:
      return "rewrite";
    case Unpriced::Kind::metadata:
      return "metadata";
    case Unpriced::Kind::branch:
      break;
  }
  return "branch";
}

std::string unpriced_text(const Unpriced& u) {
  const auto gress = gress_name(u.gress);
  switch (u.kind) {
    case Unpriced::Kind::rewrite:
      return fmt::format("{} is rewritten in {} in a pass that runs no action; expected an Action",
                         u.what, gress);
    case Unpriced::Kind::metadata:
      return fmt::format(
          "metadata for later passes is set in {} in a pass that runs no action; expected an "
          "Action",
          gress);
    case Unpriced::Kind::branch:
      return fmt::format(
          "{} runs in some passes of {} only, and nothing decides in which; expected a Gateway "
          "that "
          "guards it, or follows(TABLE)",
          u.what, gress);
  }
  return {};
}

}  // namespace horae::programs
