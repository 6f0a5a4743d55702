// Copies of packets, and packets that recirculate.
#pragma once

#include <string>

#include "horae/core/error.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// Requests a copy of the packet: the deparser makes it, the traffic manager queues it, and it
/// leaves through the egress of any port. Tofino2 lets a packet override its session's port.
class Mirror final : public Object {
 public:
  Mirror(Pipeline& pipeline, Gress gress, const std::string& name, const Needs& needs = {})
      : Object(pipeline, gress, name, MirrorSpec{}, needs) {}

  void request(PassKind auto& pass, const MirrorRequest& request) {
    check_single_access(pass);
    pass.mirror(request);
  }
};

/// Sends the packet around: through the pipeline's loopback port back to its ingress, or to that of
/// another pipeline. In ingress only: a port is chosen there. A loopback port is a port like any
/// other to the traffic manager, which reaches those of all pipelines (switch.p4 steers BFD packets
/// to the pipeline of their session so: open-p4studio, switch-p4-16/p4src/shared/bfd.p4).
class Recirculation final : public Object {
 public:
  Recirculation(Pipeline& pipeline, Gress gress, const std::string& name, const Needs& needs = {})
      : Object(pipeline, only_ingress(gress, pipeline.name() + "." + name), name, RecirculateSpec{},
               needs) {}

  void request(PassKind auto& pass) { request(pass, pass.where().pipeline); }
  void request(PassKind auto& pass, unsigned pipeline) {
    check_single_access(pass);
    pass.recirculate(pipeline);
  }
  /// Likewise, through the egress of the loopback port, which request() bypasses.
  void request_through_egress(PassKind auto& pass) {
    check_single_access(pass);
    pass.recirculate_through_egress();
  }

 private:
  static Gress only_ingress(Gress gress, const std::string& name) {
    if (gress != Gress::ingress) throw ModelError(name + ": recirculation is chosen in ingress");
    return gress;
  }
};

}  // namespace horae::dataplane
