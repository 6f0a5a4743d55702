// Writes the events of a trace.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "horae/views/trace_slices.hpp"

namespace horae::views {

/// As JSON, quotes and escapes included.
inline std::string json_text(std::string_view text) { return nlohmann::ordered_json(text).dump(); }

/// Writes one trace file, event by event.
class TraceWriter {
 public:
  TraceWriter(const TraceRecord& record, std::ostream& out);

  void write(const std::vector<nlohmann::ordered_json>& extra);

 private:
  void put(std::string_view text);
  void flush();
  void line(std::string_view event);

  nlohmann::ordered_json other_data() const;

  unsigned process_of(const TraceTrack& track) const { return track.device + 1; }
  unsigned thread_of(const TraceSlice& s) const { return first_thread_[s.track] + s.lane; }

  void name_threads();

  std::string packet_name(const TraceRecord::PacketInfo& p) const;

  /// As a JSON string.
  std::string node_name(NodeId node) const;

  /// Arguments of a packet's slice, without the braces.
  std::string packet_args(std::uint32_t packet, std::uint32_t step) const;

  // Names of slices are made here and need no escapes.
  void complete(const TraceSlice& s, std::string_view name, std::string_view category,
                std::string_view args);
  void instant(const TraceSlice& s, std::string_view name, std::string_view category,
               std::string_view args);
  void flow(char phase, std::string_view category, std::uint64_t id, const TraceSlice& s,
            Picoseconds at);

  void write_slice(const TraceSlice& s);
  void write_span(const TraceSlice& s);

  /// A packet's slices and the flow that joins them: from its message, if that is known.
  void write_packet(std::uint32_t packet);

  void write_arrow(const TraceArrow& arrow, std::uint64_t id);

  const TraceRecord& r_;
  const TraceSlices t_;
  std::ostream& out_;
  std::vector<std::string> nodes_;      ///< names by NodeId, as JSON
  std::vector<unsigned> first_thread_;  ///< by track
  std::string buffer_;
  bool first_ = true;
};

}  // namespace horae::views
