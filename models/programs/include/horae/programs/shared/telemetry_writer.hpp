// In-network telemetry as a part of a program: this switch's record in data packets that ask for
// it, written in egress.
#pragma once

#include <cstdint>

#include "horae/dataplane/action.hpp"
#include "horae/dataplane/exact_table.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/register_action.hpp"
#include "horae/programs/program.hpp"

namespace horae::programs {

/// Telemetry of HPCC in a switch (core/telemetry.hpp), with a chip's means: a register per port
/// that counts what it sends, the traffic manager's depth in cells, the pipeline's time stamp. The
/// record goes before those of the switches before; senders turn them around. Cells become units of
/// 80 bytes by 2 + 1/4, as 176 / 80 is 2.2, so a queue reads 2.3 % too long. The length of what
/// leaves includes the record, and preamble and gap, which the wire carries as well.
class TelemetryWriter {
 public:
  /// The ports' rates and the switch's number are of `routes`. A rate without a code has the code
  /// of the next higher one.
  TelemetryWriter(dataplane::Pipeline& pipeline, const Routes& routes);

  /// Once in the egress pass of every packet: its bytes count whatever it is.
  void egress(dataplane::PassKind auto& pass);

 private:
  /// By what a rate's action shifts.
  struct Units {
    std::uint8_t code = 0;
  };

  /// Adds to what a port sent; what it was before.
  struct Add {
    template <class C>
    C operator()(C& bytes, C length) const {
      const C before = bytes;
      bytes += length;
      return before;
    }
  };

  std::uint32_t number_;
  dataplane::Gateway asks_, has_room_;
  dataplane::Action wire_length_, longer_;
  dataplane::Register<std::uint32_t> sent_;
  dataplane::RegisterAction<std::uint32_t, Add> add_sent_;
  dataplane::Action parts_of_cells_, units_of_cells_;
  dataplane::ExactTable<std::uint16_t, Units> by_rate_;
  dataplane::Action saturate_, add_record_;
};

}  // namespace horae::programs
