#include "horae/views/view_filter.hpp"

#include <fmt/format.h>

#include "horae/config/platform.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/elaboration/simulation.hpp"

namespace horae::views {
namespace {

Picoseconds read_time(const char* option, const std::string& text) {
  const auto parsed = parse_quantity<Picoseconds>(text);
  if (!parsed) throw InputError(fmt::format("{}: {}", option, parsed.error));
  if (*parsed.value < 0_ps)
    throw InputError(fmt::format("{} {}: expected a time of the run", option, printable(text)));
  return *parsed.value;
}

/// Well mixed 64 bits (splitmix64: Steele, Lea, Flood, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

const char* ViewOptions::narrowing() const {
  if (from) return "--from";
  if (to) return "--to";
  if (const char* option = choosing()) return option;
  if (most != default_most) return "--trace-most";
  return nullptr;
}

const char* ViewOptions::choosing() const {
  if (!flows.empty()) return "--flow";
  if (every != 1) return "--every";
  return nullptr;
}

ViewFilter::ViewFilter(const ViewOptions& options, const config::PlatformConfig& platform)
    : every_(options.every) {
  if (options.from) from_ = read_time("--from", *options.from);
  if (options.to) to_ = read_time("--to", *options.to);
  if (from_ >= to_)
    throw InputError(fmt::format("--to {}: expected more than --from, {}", to_text(to_),
                                 from_ == 0_ps ? "0" : to_text(from_)));
  for (const auto& text : options.flows)
    flows_.push_back(config::read_flow_name("--flow", text, platform));
}

void ViewFilter::learn(const elaboration::Simulation& simulation) {
  const auto& flows = simulation.flows();
  const auto put = [&](const rnic::rnic& nic, std::size_t qp, PacketOwner owner) {
    owner_.resize(std::max<std::size_t>(owner_.size(), nic.id() + 1));
    auto& of_nic = owner_[nic.id()];
    of_nic.resize(std::max(of_nic.size(), qp + 1), {0, false});
    of_nic[qp] = owner;
  };
  for (std::size_t i = 0; i < flows.size(); ++i) {
    put(*flows[i].receiver, flows[i].receiver_qp, {i, false});
    put(*flows[i].sender, flows[i].sender_qp, {i, true});
    bool wanted = false;
    for (const auto& f : flows_) {
      wanted =
          wanted || f.names(flows[i].sender->id(), flows[i].receiver->id(),
                            rnic::rnic::first_qpn + static_cast<std::uint32_t>(flows[i].sender_qp));
    }
    wanted_.push_back(wanted);
    sender_qp_.push_back(flows[i].sender_qp);
  }
}

std::optional<PacketOwner> ViewFilter::owner(const Packet& p) const {
  const std::size_t qp = p.dest_qp.value() - std::size_t{rnic::rnic::first_qpn};
  if (p.dst >= owner_.size() || qp >= owner_[p.dst].size()) return std::nullopt;
  return owner_[p.dst][qp];
}

bool ViewFilter::wants(const Packet& p) const {
  if (p.opcode == Opcode::none) return false;  // a TCP segment: views show RoCEv2
  const auto whose = owner(p);
  if (!flows_.empty()) {
    bool wanted = whose && wanted_[whose->flow];
    for (std::size_t i = 0; !whose && !wanted && i < flows_.size(); ++i)
      wanted = p.src == flows_[i].src && (!flows_[i].dst || p.dst == *flows_[i].dst);
    if (!wanted) return false;
  }
  if (every_ <= 1) return true;
  const bool numbered = whose && p.opcode != Opcode::cnp && p.opcode != Opcode::pull;
  return mixed(numbered ? whose->flow << 24 | p.psn.value() : p.id) % every_ == 0;
}

}  // namespace horae::views
