// Fate of each packet of a replay: rows, bytes, accesses to registers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "horae/capture/rewriter.hpp"
#include "horae/capture/writer.hpp"
#include "horae/dataplane/objects/register_observer.hpp"
#include "horae/fabric/observer.hpp"
#include "horae/replay/port.hpp"
#include "horae/results/result_stream.hpp"
#include "horae/tofino/pass_observer.hpp"

namespace horae::replay {

/// Watches one switch. A packet is remembered while the switch has it: its row is written, and its
/// bytes are, when it leaves or is dropped. Rows are in that order.
class ReplayRecorder final : public fabric::observer,
                             public tofino::pass_observer,
                             public dataplane::RegisterObserver {
 public:
  /// Facts about the run that the recorder needs.
  struct Setting {
    Picoseconds lead{};                                         ///< the trace's time 0
    std::int64_t stamp_ns = 0;                                  ///< since 1970, of that
    bool fcs = false;                                           ///< frames have one
    std::vector<std::string> nodes;                             ///< names
    std::unordered_map<const fabric::device*, unsigned> entry;  ///< the switch's port of an end
  };
  ReplayRecorder();
  ~ReplayRecorder() override;

  /// Where rows go; nothing is recorded that has no place to go.
  void write_packets(results::ResultStream file);
  void write_registers(results::ResultStream file);
  /// Captures of what leaves, by port.
  void write_ports(std::vector<capture::CaptureWriter> files);
  void start(const fabric::device& watched, Setting setting);

  /// A packet is sent to the switch; its id from here on.
  std::uint64_t enter(const replay_port& end, const TracePacket& packet, Picoseconds first_bit);
  /// After the run: rows of what is still there, and every file closed.
  void finish();

  void arrived(const fabric::device& d, unsigned port, const Packet& p, Picoseconds at,
               Picoseconds ready) override;
  void queued(const fabric::device& d, unsigned port, unsigned queue, const Packet& p,
              Picoseconds at) override;
  void sent(const fabric::device& d, unsigned port, const Packet& p, Picoseconds start,
            Picoseconds first_bit, Picoseconds last_bit) override;
  void dropped(const fabric::device& d, const Packet& p, fabric::DropCause cause,
               Picoseconds at) override;
  void passed(const tofino::tofino_switch& chip, const dataplane::Pass& pass, Picoseconds entered,
              Picoseconds deparsed) override;
  void mirrored(const tofino::tofino_switch& chip, const Packet& original, const Packet& copy,
                Picoseconds at) override;
  void replicated(const tofino::tofino_switch& chip, const Packet& original, const Packet& copy,
                  Picoseconds at) override {
    mirrored(chip, original, copy, at);
  }
  void generated(const tofino::tofino_switch& chip, const Packet& p, Picoseconds at) override;
  void accessed(const dataplane::Object& object, const dataplane::AnyPass& pass, std::size_t index,
                std::span<const std::byte> before, std::span<const std::byte> after) override;

 private:
  struct Slot;
  struct Outcome;
  /// Objects of a pipeline with the last stage that each is in.
  struct Placed {
    const dataplane::Object* object;
    unsigned stage;
  };

  Slot& slot_of(const Packet& p);
  std::size_t free_slot();
  void release(const Packet& p);
  void learn_stages(const tofino::tofino_switch& chip);
  void blame(const dataplane::Pass& pass, Slot& slot);
  void write_row(const Slot& slot, const Packet& p, const Outcome& outcome);
  void write_bytes(const Slot& slot, const Packet& p, unsigned port, Picoseconds first_bit);
  void write_frame(const Packet& p, unsigned port, std::int64_t stamp_ns);

  const fabric::device* watched_ = nullptr;
  const programs::Frames* frames_ = nullptr;  ///< of a chip whose program works on bytes
  Setting setting_;
  bool tells_arrivals_as_queued_ = false;  ///< the device queues what it handles at once
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<std::uint64_t, std::uint32_t> copies_;  ///< slots of copies by their ids
  std::uint64_t entered_ = 0;
  std::uint64_t copies_made_ = 0;
  std::vector<std::vector<Placed>> placed_;  ///< by pipeline
  results::ResultStream packets_, registers_;
  std::vector<capture::CaptureWriter> ports_;
  capture::Rewriter rewriter_;
};

}  // namespace horae::replay
