// The double-length bitmap with variable base of the packet-spraying paper's appendix A.
#pragma once

#include <cstdint>

#include "horae/core/psn.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/register_action.hpp"

namespace horae::programs::themis {

struct WindowShape {
  std::uint32_t qps = 1;
  std::uint32_t window = 512;  ///< PSNs, a power of two: of each half, and at most of the NIC
  std::uint32_t pieces = 1;    ///< arrays the bitmap is cut into
  bool ignore_old = true;      ///< PSNs before the window mark nothing; false: as published
};

/// Which PSNs of a queue pair's window have passed to its receiver, in egress. Two halves of a
/// window each, used in turn; a bit is set where it differs from its half's base bit, and a half is
/// emptied by flipping its base when the window's start leaves it.
///
/// One bitmap access per pass: set, clear (data packets, by the base) or read (NACKs). The start
/// comes before the base bits and these before the bitmap, so a NACK that moves the window is
/// judged by the new base.
class WindowBitmap {
 public:
  /// `qp_table` gives the index of a queue pair; the gateways say what a packet is, and what is
  /// marked or asked below must be what they held for.
  WindowBitmap(dataplane::Pipeline& pipeline, const WindowShape& shape,
               const dataplane::Object& qp_table, const dataplane::Gateway& is_data,
               const dataplane::Gateway& is_response, const dataplane::Gateway& is_nack);

  /// Control plane: queue pair `qp` begins at `first`.
  void connect(std::uint32_t qp, Psn first);
  /// A data packet passes to the receiver. Whether it counts: not, if it comes from before the
  /// window (with `ignore_old`).
  [[gnu::always_inline]] bool mark(const dataplane::PassKind auto& pass, std::uint32_t qp, Psn psn);
  /// An ACK passes: the receiver has everything up to and including `psn`.
  void acknowledge(const dataplane::PassKind auto& pass, std::uint32_t qp, Psn psn) {
    move(pass, qp, psn + 1, false);
  }
  /// A NACK passes: the receiver has everything before `psn`. Whether `psn` has not passed to it.
  bool ask(const dataplane::PassKind auto& pass, std::uint32_t qp, Psn psn);

  /// Holds in passes in which ask() found the packet missing.
  const dataplane::Gateway& missing() const { return missing_; }

 private:
  static constexpr auto out = dataplane::Gress::egress;
  /// Base bits of both halves.
  struct Bases {
    bool first = false, second = false;
  };
  Bases move(const dataplane::PassKind auto& pass, std::uint32_t qp, Psn start, bool nack);
  [[gnu::always_inline]] Bases read_bases(const dataplane::PassKind auto& pass, std::uint32_t qp);

  std::size_t bit_index(std::uint32_t qp, Psn psn) const {
    const std::uint32_t ring = 2 * shape_.window;
    return std::size_t{qp} * ring + (psn.value() & (ring - 1));
  }
  bool in_second_half(Psn psn) const { return (psn.value() & shape_.window) != 0; }

  /// Whether a PSN comes before the start of the window.
  struct IsOld {
    static constexpr bool only_reads = true;
    template <class C>
    auto operator()(const C& start, C psn) const {
      return dataplane::stateful::comes_after<Psn::bits>(start, psn);
    }
  };
  /// The window begins there unless it was further on; where it began before.
  struct MoveStart {
    template <class C>
    C operator()(C& cell, C start) const {
      const C before = cell;
      if (dataplane::stateful::comes_after<Psn::bits>(start, cell)) cell = start;
      return before;
    }
  };
  /// Whether it is set.
  struct ReadBase {
    static constexpr bool only_reads = true;
    template <class C>
    auto operator()(const C& base) const {
      return base != 0;
    }
  };
  /// Whether it is set then.
  struct TurnBase {
    template <class C>
    auto operator()(C& base) const {
      const auto set = base == 0;
      base ^= 1;
      return set;
    }
  };
  /// The base bit of a half of the window.
  struct Base {
    Base(dataplane::Pipeline& pipeline, const char* name, const WindowShape& shape,
         const dataplane::Needs& needs);
    dataplane::Register<std::uint8_t> array;
    dataplane::RegisterAction<std::uint8_t, ReadBase> read;
    dataplane::RegisterAction<std::uint8_t, TurnBase> turn;
  };

  WindowShape shape_;
  dataplane::Register<std::uint32_t> epsn_;
  dataplane::RegisterAction<std::uint32_t, IsOld> is_old_;
  dataplane::RegisterAction<std::uint32_t, MoveStart> move_start_;
  dataplane::FixedGateway<dataplane::AllFlags> left_first_, left_second_;
  Base base_first_;
  Base base_second_;
  dataplane::FixedGateway<dataplane::AllFlags> marks_one_, marks_zero_;
  dataplane::Register<std::uint8_t> bitmap_;
  dataplane::RegisterAction<std::uint8_t, dataplane::FillCell<1>> set_bit_;
  dataplane::RegisterAction<std::uint8_t, dataplane::FillCell<0>> clear_bit_;
  dataplane::RegisterAction<std::uint8_t, dataplane::ReadCell> read_bit_;
  dataplane::FixedGateway<dataplane::SameValue> missing_;
};

inline WindowBitmap::Bases WindowBitmap::read_bases(const dataplane::PassKind auto& pass,
                                                    std::uint32_t qp) {
  const bool first = base_first_.read.run(pass, qp);
  return {first, base_second_.read.run(pass, qp)};
}

inline bool WindowBitmap::mark(const dataplane::PassKind auto& pass, std::uint32_t qp, Psn psn) {
  const bool old = shape_.ignore_old && is_old_.run(pass, qp, psn.value());
  const Bases bases = read_bases(pass, qp);
  const bool base = in_second_half(psn) ? bases.second : bases.first;
  const bool one = marks_one_.test(pass, !old, !base);
  const bool zero = marks_zero_.test(pass, !old, base);
  if (one)
    set_bit_.run(pass, bit_index(qp, psn));
  else if (zero)
    clear_bit_.run(pass, bit_index(qp, psn));
  return !old;
}

inline bool WindowBitmap::ask(const dataplane::PassKind auto& pass, std::uint32_t qp, Psn psn) {
  const Bases bases = move(pass, qp, psn, true);
  const bool base = in_second_half(psn) ? bases.second : bases.first;
  const bool marked = read_bit_.run(pass, bit_index(qp, psn)) != 0;
  return missing_.test(pass, marked, base);
}

// The window begins at `start` unless it was further on already. The bases are read for NACKs only.
inline WindowBitmap::Bases WindowBitmap::move(const dataplane::PassKind auto& pass,
                                              std::uint32_t qp, Psn start, bool nack) {
  const Psn before(move_start_.run(pass, qp, start.value()));
  const bool moved = start.after(before) && in_second_half(start) != in_second_half(before);
  const bool from_second = in_second_half(before);
  const auto turn = [&](Base& base, bool flip) {
    if (flip) return base.turn.run(pass, qp);
    return nack && base.read.run(pass, qp);
  };
  const bool first = left_first_.test(pass, moved, !from_second);
  const bool second = left_second_.test(pass, moved, from_second);
  return {turn(base_first_, first), turn(base_second_, second)};
}

}  // namespace horae::programs::themis
