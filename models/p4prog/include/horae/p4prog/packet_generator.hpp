// The packet generator of a pipe as the control plane sets it up, and the bytes that it makes.
// Open Tofino, "Tofino Native Architecture", chapter 9; names and ranges of settings, and what
// Tofino2 has otherwise: open-p4studio, bf_rt_pktgen_tf1.json, bf_rt_pktgen_tf2.json,
// pipe_mgr/pktgen_intf.h.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::p4prog {

/// An application of the generator: what it waits for, and what it makes then.
struct GeneratorApp {
  enum class Trigger : std::uint8_t { one_shot, timer, port_down, recirculation, deparser };
  Trigger trigger = Trigger::timer;
  Picoseconds timer{};  ///< of the two timers
  /// For `recirculation` and `deparser`: the first 128 bits (Tofino: 32) under the mask, in two
  /// words, the lower one first.
  std::array<std::uint64_t, 2> value = {}, mask = {};
  std::optional<std::set<unsigned>> ports = {};  ///< of `port_down`, by number; absent: all
  std::uint32_t batches = 1;                     ///< of a trigger, to 65536
  std::uint32_t packets = 1;                     ///< of a batch, to 65536
  Picoseconds batch_gap{}, packet_gap{};
  std::uint32_t offset = 0, length = 0;    ///< in the buffer; the deparser's message has its own
  std::optional<unsigned> port = {};       ///< lane that packets come by; absent: the generator's
  bool increments_port = false;            ///< by one with each packet of a batch
  std::optional<unsigned> last_port = {};  ///< behind it `port` comes again (Tofino2)
  std::optional<std::set<unsigned>> pipes = {};  ///< that have it; absent: all
  bool operator==(const GeneratorApp&) const = default;

  bool is_in(unsigned pipe) const { return !pipes || pipes->contains(pipe); }
};

constexpr std::string_view generator_triggers[] = {"one_shot", "timer", "port_down",
                                                   "recirculation", "deparser"};

/// A trigger that an application got: the port that went down, or first bytes and, of a message of
/// the deparser, the part of the buffer that it names.
struct GeneratorEvent {
  unsigned port = 0;
  std::vector<std::uint8_t> bytes = {};
  std::uint32_t offset = 0, length = 0;
};

/// The buffer that applications share, and the applications by number, as the control plane left
/// them.
class GeneratorTable {
 public:
  static constexpr std::size_t buffer_bytes = 16 * 1024;  // TNA 9
  static constexpr std::size_t row_bytes = 16;            // packets begin at multiples of it
  static constexpr unsigned apps_of_tofino = 8, apps_of_tofino2 = 16;

  bool tofino2 = false;
  /// By number and, as pipes may differ, the first of the pipes that it is set up for, from 1 on;
  /// 0: all.
  using Key = std::pair<unsigned, unsigned>;
  static Key key_of(unsigned number, const GeneratorApp& app) {
    return {number, app.pipes && !app.pipes->empty() ? *app.pipes->begin() + 1 : 0};
  }
  std::map<Key, GeneratorApp> apps = {};

  /// Behind the last byte written there are zeros. InputError: out of the buffer.
  void write(std::size_t offset, std::span<const std::uint8_t> bytes);
  /// Replaces what has this key. InputError: what the chip does not have, in one line.
  void set(unsigned number, const GeneratorApp& app);
  /// Whether `bytes`, those of a packet that came around or the deparser's, are what an application
  /// waits for.
  bool matches(const GeneratorApp& app, std::span<const std::uint8_t> bytes) const;
  /// A packet of application `number`: its 6 bytes of header, on Tofino2 the 16 bytes that
  /// triggered it where there are such, and its part of the buffer. Without FCS.
  std::vector<std::uint8_t> packet(unsigned number, const GeneratorApp& app, unsigned pipe,
                                   std::uint32_t batch, std::uint32_t packet,
                                   const GeneratorEvent& event) const;
  /// The port that it comes by, as programs number it.
  unsigned port(const GeneratorApp& app, unsigned pipe, std::uint32_t packet) const;

 private:
  std::vector<std::uint8_t> buffer_ = {};
};

}  // namespace horae::p4prog
