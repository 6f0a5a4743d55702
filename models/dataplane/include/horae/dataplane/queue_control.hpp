// Queues of the traffic manager in a program's hands.
#pragma once

#include <string>

#include "horae/core/error.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// Holds or releases one queue of one egress port: Tofino2's advanced flow control, a word that the
/// deparser of either gress hands to the traffic manager with the packet (`adv_flow_ctl` in
/// tofino2_base.p4: port, queue, credit). One request per pass; it takes effect when the packet
/// would have come through the traffic manager. Written in an action, and charged as one.
class QueueControl final : public Object {
 public:
  QueueControl(Pipeline& pipeline, Gress gress, const std::string& name, const Needs& needs = {})
      : Object(pipeline, gress, name, ActionSpec{.writes = {"adv_flow_ctl"}}, needs) {}

  void hold(PassKind auto& pass, unsigned port, unsigned queue) {
    request(pass, QueueRequest::hold, port, queue);
  }
  void release(PassKind auto& pass, unsigned port, unsigned queue) {
    request(pass, QueueRequest::release, port, queue);
  }

 private:
  void request(PassKind auto& pass, QueueRequest::Action action, unsigned port, unsigned queue) {
    check_single_access(pass);
    pass.control_queue(
        {action, static_cast<std::uint8_t>(queue), static_cast<std::uint16_t>(port)});
  }
};

/// Chooses the queue of the port that the packet goes to, in ingress (the `qid` of the intrinsic
/// metadata for the traffic manager). Without it, and for queue 0, the queue of its class.
class QueueChoice final : public Object {
 public:
  QueueChoice(Pipeline& pipeline, Gress gress, const std::string& name, const Needs& needs = {})
      : Object(pipeline, only_ingress(gress, pipeline.name() + "." + name), name,
               ActionSpec{.writes = {"qid"}}, needs) {}

  void choose(PassKind auto& pass, unsigned queue) {
    check_single_access(pass);
    pass.enqueue_in(queue);
  }

 private:
  static Gress only_ingress(Gress gress, const std::string& name) {
    if (gress != Gress::ingress) throw ModelError(name + ": a queue is chosen in ingress");
    return gress;
  }
};

}  // namespace horae::dataplane
