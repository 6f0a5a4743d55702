// A program on the pipes of a chip, packet by packet: what goes in, what comes out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"
#include "horae/dataplane/pipeline.hpp"
#include "horae/p4prog/compiled_text.hpp"
#include "horae/p4prog/control_plane.hpp"
#include "horae/p4prog/pipe_passes.hpp"

namespace horae::p4prog {

struct SwitchOptions {
  bool tofino2 = false;
  unsigned pipes = 4;
  std::uint64_t seed = 1;
  std::set<unsigned> loopback = {};  ///< ports whose packets come in again
  unsigned cpu_port = 0;             ///< of copies to the CPU
  bool watch_unwritten = false;      ///< reads of what nobody wrote are found; costs time
  bool random_unwritten = false;     ///< what P4 leaves open is random, by `seed`, in place of zero
  /// Runs in place of the program's instructions, but where reads are watched.
  const CompiledProgram* compiled = nullptr;

  /// As the chip has them: recirculation at 68 + 128 n (Tofino) or 6 + 128 n (Tofino2), the CPU at
  /// port 192 or 0 (open Tofino, "Tofino Native Architecture"; bf-drivers).
  static SwitchOptions of(bool tofino2);
};

/// Runs packets to their end: through ingress, the traffic manager without its queues, egress, and
/// around as often as the program sends them. Packets leave in the order in which they would with
/// queues that are empty: a packet, its copies by multicast, then those by mirror.
class P4Switch {
 public:
  /// InputError for what is not supported, or where `compiled` is of another program.
  P4Switch(const p4lang::Program& program, const SwitchOptions& options);

  struct Output {
    unsigned port = 0;
    Bytes8 bytes;
    bool operator==(const Output&) const = default;
  };
  /// A pass of a packet, for who watches.
  struct Pass {
    unsigned pipe = 0;
    dataplane::Gress gress = dataplane::Gress::ingress;
    unsigned port = 0;
    std::uint32_t length = 0;
    std::uint32_t parsed_bytes = 0;
    std::uint32_t error = 0;
    std::uint64_t instructions = 0;
    std::string outcome;  ///< "forward to 5", "dropped by the parser"
  };

  /// A packet, without its FCS. ModelError: a rule of the hardware is broken, or it goes round
  /// without an end.
  std::vector<Output> inject(unsigned port, std::span<const std::uint8_t> bytes, Picoseconds now);

  /// The timer of an application of the packet generator fires, in one pipe or in all that have it;
  /// a one-shot timer only once. InputError: it has no timer.
  std::vector<Output> fire_timer(unsigned app, std::optional<unsigned> pipe, Picoseconds now);
  /// A port goes down: applications of its pipe that wait for it are triggered, each the first time
  /// alone.
  std::vector<Output> port_down(unsigned port, Picoseconds now);

  /// A pass of the ghost thread in each pipe, for a queue of so many cells. InputError: the program
  /// has none.
  void run_ghost(unsigned queue, std::uint64_t depth, Picoseconds now);

  ControlPlane& control_plane() { return *control_plane_; }
  /// Multicast groups and mirror sessions.
  ManagerTables& manager() { return manager_; }
  void set_loopback(std::set<unsigned> ports) { options_.loopback = std::move(ports); }
  const SwitchOptions& options() const { return options_; }
  const std::vector<Pass>& passes() const { return passes_; }  ///< of the last packet
  std::vector<DigestMessage> take_digests() { return std::exchange(digests_, {}); }
  /// Reads of what nobody wrote, since the last call: "file:line:column: NAME is read before it is
  /// written". Only if it is asked for.
  std::vector<std::string> take_warnings();

 private:
  struct Pipe {
    std::unique_ptr<dataplane::Pipeline> pipeline;
    std::unique_ptr<PipePasses> passes;
  };
  struct Arrival {
    unsigned port = 0;
    FrameBytes bytes;
    std::optional<Bytes8> resubmitted;  ///< what is put before it the second time
  };

  unsigned pipe_of(unsigned port) const { return std::min(port >> 7, options_.pipes - 1); }
  void begin(Picoseconds now);
  std::vector<Output> run_to_end(unsigned port);
  /// Packets of an application in a pipe. `by_itself`: not because of a packet.
  void generate(unsigned pipe, unsigned number, const GeneratorApp& app,
                const GeneratorEvent& event, bool by_itself);
  void trigger(unsigned pipe, GeneratorApp::Trigger kind, const GeneratorEvent& event);
  void v1_pass(unsigned number, const Arrival& arrival);
  void ingress(Arrival arrival);
  void egress(Departure departure, FrameBytes bytes);
  void leave(unsigned port, FrameBytes bytes);
  void mirror(MirroredPacket copy);
  void note(unsigned pipe, dataplane::Gress gress, unsigned port, std::size_t length,
            const PassNote& note, std::string outcome);
  void take_digests(PipePasses& passes);

  const p4lang::Program& program_;
  SwitchOptions options_;
  ProgramCode codes_;
  ManagerTables manager_;
  std::vector<Pipe> pipes_;
  std::unique_ptr<ControlPlane> control_plane_;
  std::uint64_t serial_ = 0;
  Picoseconds now_{};
  std::vector<Arrival> arrivals_;
  std::size_t passes_allowed_ = 0;
  std::set<std::pair<unsigned, unsigned>> fired_;   ///< one-shot timers: pipe and application
  std::set<std::pair<unsigned, unsigned>> fallen_;  ///< applications and ports that went down
  std::vector<Output> outputs_;
  std::vector<Pass> passes_;
  std::vector<DigestMessage> digests_;
  std::set<std::string> warned_;
};

}  // namespace horae::p4prog
