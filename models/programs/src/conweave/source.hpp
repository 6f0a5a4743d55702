// The source ToR's half of ConWeave, in ingress (internal to the room).
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "actions.hpp"
#include "horae/dataplane/mirror.hpp"
#include "horae/dataplane/random.hpp"
#include "horae/programs/conweave/conweave.hpp"
#include "parts.hpp"

namespace horae::programs::conweave {

/// Tests a flow's path about once per round trip, and moves the flow when the answer is late and a
/// path that is not busy was found. Registers as in registers_ingress.p4, "TX TOR".
class Source {
 public:
  /// `is_data`: tested for data that leaves for another rack; `is_control` for replies and
  /// notifications that come in.
  Source(dataplane::Pipeline& pipeline, const ConweaveConfig& config,
         const dataplane::Object& routes, const dataplane::Object& flows,
         const dataplane::Gateway& is_data, const dataplane::Gateway& is_control);

  /// The path of a data packet, which gets its header. `paths` are those to the destination.
  std::uint8_t data(PassKind auto& pass, const FlowEntry& flow, const Route& route);
  /// A reply or a notification: it ends here, or recirculates once.
  void control(PassKind auto& pass, const FlowEntry* flow, const Route& route);
  /// Control plane: a new flow's first path.
  void install(std::uint16_t index, std::uint8_t path);

  const dataplane::Object& path() const { return path_; }
  /// The last condition for recirculation of the packet.
  const dataplane::Object& last() const { return around_; }

  struct Counts {
    std::uint64_t epochs = 0;    ///< opened, each with an RTT_REQUEST
    std::uint64_t reroutes = 0;  ///< TAILs sent
    std::uint64_t moves = 0;     ///< flows put on another path after a silence
    std::uint64_t replies = 0;   ///< in time
    std::uint64_t late = 0;      ///< replies of a past deadline, epoch or phase
    std::uint64_t clears = 0;    ///< that ended a reroute
    std::uint64_t notifies = 0;  ///< paths put down as busy
  };
  const Counts& counts() const { return counts_; }

 private:
  static constexpr unsigned ways = 4;
  struct BusyPaths {
    BusyPaths(dataplane::Pipeline& pipeline, const std::string& name, const RegisterSpec& spec,
              const Needs& needs)
        : array(pipeline, in, name, spec, needs),
          is(pipeline, array, "is_busy"),
          note(pipeline, array, "note") {}
    dataplane::Register<Busy> array;
    RegisterAction<Busy, IsBusy> is;
    RegisterAction<Busy, NoteBusy> note;
  };
  /// One sampled path, looked up in a copy of the busy paths of its own.
  struct Sample {
    Sample(dataplane::Pipeline& pipeline, const std::string& name, const ConweaveConfig& config,
           const dataplane::Object& routes, const dataplane::Gateway& is_data,
           const dataplane::Gateway& notes);

    dataplane::Random random;
    std::array<std::unique_ptr<dataplane::Gateway>, ways> is_way;
    std::array<std::unique_ptr<BusyPaths>, ways> busy;
  };

  Needs found_needs(const dataplane::Gateway& is_data) const;
  Needs deadline_needs(const dataplane::Object& flows) const;
  bool is_busy(const PassKind auto& pass, Sample& sample, std::uint8_t path, const Route& route);
  void note_busy(const PassKind auto& pass, Sample& sample, std::uint8_t path, const Route& route);
  std::uint8_t choose(const PassKind auto& pass, const FlowEntry& flow, bool expired, bool late,
                      bool found, std::uint8_t good);
  bool passes_deadline(const PassKind auto& pass, const FlowEntry& flow, bool opens,
                       bool may_leave);
  std::uint32_t tail_of(const PassKind auto& pass, std::uint16_t index, bool opens, bool late);
  void reply(PassKind auto& pass, const FlowEntry& flow);

  ConweaveConfig config_;
  std::uint32_t busy_;
  dataplane::Gateway is_second_pass_;
  dataplane::Gateway is_reply_;
  dataplane::Gateway is_notify_;
  Sample first_;
  Sample second_;
  dataplane::Gateway is_found_;
  dataplane::Register<std::uint32_t> active_time_;
  RegisterAction<std::uint32_t, IsSilent> is_silent_;
  dataplane::Register<std::uint8_t> stability_;
  RegisterAction<std::uint8_t, TestAnd<0>> take_stable_;
  RegisterAction<std::uint8_t, FillCell<1>> set_stable_;
  dataplane::Gateway opens_;
  dataplane::Register<std::uint32_t> reply_deadline_;
  RegisterAction<std::uint32_t, SetCell> set_deadline_;
  RegisterAction<std::uint32_t, Expire> expire_;
  RegisterAction<std::uint32_t, Extend> extend_;
  RegisterAction<std::uint32_t, ReadCell> read_deadline_;
  dataplane::Register<std::uint8_t> epoch_;
  RegisterAction<std::uint8_t, NextEpoch> next_epoch_;
  RegisterAction<std::uint8_t, ReadCell> read_epoch_;
  RegisterAction<std::uint8_t, EqualsCell> is_epoch_;
  FlagRegister phase_;
  dataplane::Action choose_path_;
  dataplane::Register<std::uint8_t> path_;
  RegisterAction<std::uint8_t, Exchange> change_path_;
  RegisterAction<std::uint8_t, ReadCell> read_path_;
  Variable<std::uint32_t> tail_time_;
  dataplane::Gateway is_accepted_;
  dataplane::Action write_header_;
  dataplane::Recirculation around_;
  dataplane::Action consume_;
  Counts counts_;  // statistics of the model, not state of the program
};

}  // namespace horae::programs::conweave
