// Shared by the readers of tools' files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horae/question/files.hpp"

namespace horae::question {

/// A number as it is printed.
struct PrintedNumber {
  double value = 0;
  double rounding = 0;  ///< half of its last digit

  /// Plain decimals such as "55.86"; InputError at `where` that says what `what` is.
  static PrintedNumber parse(std::string_view text, const Location& where, std::string_view what);
};

/// A line of perftest's results.
struct PerftestRow {
  Location where;
  std::string_view verb = "write";  ///< as `traffic.verb` has it
  std::uint64_t queue_pairs = 1;
  std::optional<std::uint64_t> depth, mtu;
  std::optional<std::uint64_t> receive_depth;  ///< of SENDs
  std::optional<std::uint64_t> reads;          ///< READs or atomics outstanding
  std::uint64_t bytes = 0;
  PrintedNumber average;  ///< in Gbps or MiB/s
  PrintedNumber rate;     ///< million messages per second
  /// In the place of both, by a latency test: microseconds from post to completion, typically; of
  /// a halved one, half of a round trip, in the mean.
  std::optional<PrintedNumber> latency;
  bool halved = false;              ///< is_halved of a latency test
  std::string_view service = "rc";  ///< as `traffic.service` has it
};

/// The verb of a test as perftest names it ("RDMA_Read", "Atomic FETCH_AND_ADD"), as `traffic.verb`
/// has it; empty: none that is modelled.
std::string_view perftest_verb(std::string_view test);

/// Whether the times of a latency test of such messages are half of a round trip: each is answered
/// by one the other way (perftest_parameters.c: rtt_factor). READs and atomics are whole.
bool is_halved(std::string_view verb);

std::vector<PerftestRow> perftest_text_rows(std::string_view text, const std::string& name);
std::vector<PerftestRow> perftest_json_rows(std::string_view text, const std::string& name);
/// A connection type of perftest ("RC", "UC", "UD") as `traffic.service` has it; InputError at
/// `where` for others.
std::string_view perftest_service(std::string_view type, const Location& where,
                                  std::string_view what);
ObservationsFile perftest_observations(const std::vector<PerftestRow>& rows,
                                       const ImportSpec& import);
ObservationsFile counter_observations(std::string_view text, const std::string& name,
                                      const ImportSpec& import);

/// A whole number of a tool's file; InputError likewise.
std::uint64_t printed_whole(std::string_view text, const Location& where, std::string_view what);

/// An observation with the import's tolerance and use; `spread` comes on top.
ObservationSpec imported(const ImportSpec& import, const std::string& condition,
                         const std::string& id, const Location& where);

}  // namespace horae::question
