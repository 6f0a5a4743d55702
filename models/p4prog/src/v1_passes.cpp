// Passes of a program for v1model, as the behavioral model's simple_switch makes them: parser,
// checksums, ingress, the copy's way, egress, checksums, deparser.
#include "horae/p4prog/pipe_passes.hpp"
#include "horae/p4prog/v1model.hpp"

namespace horae::p4prog {

/// Nothing: it is dropped. `copy`: the member of a group that it is.
std::optional<PipePasses::Leaving> PipePasses::v1_copy(const dataplane::Pass& pass, unsigned port,
                                                       const FrameBytes& packet,
                                                       const Replica* copy) {
  Machine& machine = *machines_[0];
  const std::uint64_t before = machine.instructions();
  const auto word = [&](std::string_view field) {
    return machine.intrinsic("standard_metadata_t", field);
  };
  machine.begin({}, packet);
  machine.set(word("ingress_port"), port);
  machine.set(word("packet_length"), packet.size());
  machine.parse(pass);
  machine.set(word("parser_error"), machine.result().error);
  machine.before_control(pass);
  machine.control(pass);
  ingress_.note = note_of(machine, before);
  const std::uint64_t spec = machine.value(word("egress_spec"));
  group_ = static_cast<unsigned>(machine.value(word("mcast_grp")));
  if (copy == nullptr && (group_ != 0 || spec == v1_drop_port)) return std::nullopt;
  Leaving out{copy != nullptr ? copy->port : static_cast<unsigned>(spec), packet};
  machine.set(word("egress_port"), out.port);
  machine.set(word("egress_rid"), copy != nullptr ? copy->rid : 0);
  machine.set(word("egress_spec"), 0);  // so that egress can drop the copy of a group
  machine.after_control(pass);
  if (machine.value(word("egress_spec")) == v1_drop_port) return std::nullopt;
  machine.deparse(pass).put_into(out.bytes);
  return out;
}

std::vector<PipePasses::Leaving> PipePasses::v1(dataplane::PipelineId where, std::uint64_t& serial,
                                                unsigned port, const FrameBytes& packet,
                                                Picoseconds now) {
  std::vector<Leaving> out;
  Packet fields;
  const auto make = [&](const Replica* copy) {
    const dataplane::Pass pass(fields, where, serial++, port, now);
    if (auto one = v1_copy(pass, port, packet, copy)) out.push_back(std::move(*one));
  };
  make(nullptr);
  if (!out.empty()) return out;
  const auto group = manager_.groups.find(group_);
  if (group_ == 0 || group == manager_.groups.end()) return out;
  const auto copies = group->second;
  for (const Replica& replica : copies) make(&replica);
  return out;
}

}  // namespace horae::p4prog
