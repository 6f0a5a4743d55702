// Requests of an ingress pass in place of a way out: another pass, copies to a group.
#pragma once

#include <string>

#include "horae/core/error.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// Sends the packet into ingress of its pipeline once more, as it came in: its bytes are still in
/// the input buffer, so nothing passes the traffic manager. Only its metadata is new (a Tofino2
/// carries 16 bytes). Once per packet, and not for one that came by a loopback port (TNA 7.14).
/// Priced as the keyless action that asks for it.
class Resubmit final : public Object {
 public:
  Resubmit(Pipeline& pipeline, const std::string& name, const Needs& needs = {})
      : Object(pipeline, Gress::ingress, name, ActionSpec{.writes = {"resubmit_type"}}, needs) {
    pipeline.set_resubmits();
  }

  void request(PassKind auto& pass) {
    check_single_access(pass);
    if (pass.resubmitted()) broken_rule(pass, "resubmits a packet for the second time");
    pass.resubmit();
  }
};

/// Has the traffic manager copy the packet to every port of a group (`Program::replicas`). Priced
/// as the keyless action that names the group.
class Multicast final : public Object {
 public:
  Multicast(Pipeline& pipeline, const std::string& name, const Needs& needs = {})
      : Object(pipeline, Gress::ingress, name, ActionSpec{.writes = {"mcast_grp_a"}}, needs) {}

  void request(PassKind auto& pass, unsigned group) {
    check_single_access(pass);
    pass.multicast(group);
  }
};

}  // namespace horae::dataplane
