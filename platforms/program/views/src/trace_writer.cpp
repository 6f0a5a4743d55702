#include "trace_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "horae/results/version.hpp"
#include "horae/views/trace_json.hpp"

namespace horae::views {

using nlohmann::ordered_json;

TraceWriter::TraceWriter(const TraceRecord& record, std::ostream& out)
    : r_(record), t_(slices_of(record, false)), out_(out) {
  for (const auto& name : r_.nodes) nodes_.push_back(json_text(name));
  // Behind the processes' numbers: a thread of its process's number would be taken as its main.
  unsigned next = static_cast<unsigned>(r_.devices.size()) + 1;
  for (const auto& track : t_.tracks) {
    first_thread_.push_back(next);
    next += track.lanes;
  }
}

void TraceWriter::write(const std::vector<ordered_json>& extra) {
  put("{\"displayTimeUnit\":\"ns\",\n\"otherData\":");
  put(other_data().dump());
  put(",\n\"traceEvents\":[\n");
  name_threads();
  const std::uint32_t packets_from = t_.first_slice.empty() ? 0 : t_.first_slice.front();
  for (std::uint32_t i = 0; i < packets_from; ++i) write_slice(t_.slices[i]);
  for (std::uint32_t p = 0; p < r_.packets.size(); ++p) write_packet(p);
  std::uint64_t id = 0;
  for (const auto& arrow : t_.arrows) write_arrow(arrow, ++id);
  for (const auto& event : extra) line(event.dump());
  put("\n]}\n");
  flush();
}

ordered_json TraceWriter::other_data() const {
  ordered_json data = {{"made by", "horae " + results::version()}};
  if (r_.full_at != never) {
    data["incomplete"] =
        fmt::format("the limit of events was reached: nothing that begins from {} us on is shown",
                    microseconds_text(r_.full_at));
  }
  return data;
}

void TraceWriter::name_threads() {
  for (std::size_t d = 0; d < r_.devices.size(); ++d) {
    line(fmt::format(R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":{}}}}})", d + 1,
                     json_text(r_.devices[d].name)));
    line(fmt::format(
        R"({{"name":"process_sort_index","ph":"M","pid":{},"args":{{"sort_index":{}}}}})", d + 1,
        d));
  }
  for (std::size_t i = 0; i < t_.tracks.size(); ++i) {
    const auto& track = t_.tracks[i];
    for (unsigned lane = 0; lane < track.lanes; ++lane) {
      const unsigned thread = first_thread_[i] + lane;
      std::string name = name_of(track);
      if (lane > 0) name += fmt::format(" #{}", lane + 1);
      line(
          fmt::format(R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})",
                      process_of(track), thread, json_text(name)));
      line(fmt::format(
          R"({{"name":"thread_sort_index","ph":"M","pid":{0},"tid":{1},"args":{{"sort_index":{1}}}}})",
          process_of(track), thread));
    }
  }
}

void TraceWriter::write_packet(std::uint32_t packet) {
  const std::uint32_t begin = t_.first_slice[packet], end = t_.first_slice[packet + 1];
  const std::uint32_t message = t_.message_slice[packet];
  const std::uint32_t anchors = end - begin + (message != TraceRecord::none ? 1 : 0);
  std::uint32_t n = 0;
  const auto anchor = [&](const TraceSlice& s, Picoseconds at) {
    if (anchors < 2) return;
    flow(n == 0 ? 's' : n + 1 == anchors ? 'f' : 't', "packet", packet + 1u, s, at);
    ++n;
  };
  if (message != TraceRecord::none) anchor(t_.slices[message], t_.left_message[packet]);
  for (std::uint32_t i = begin; i < end; ++i) {
    write_slice(t_.slices[i]);
    anchor(t_.slices[i], t_.slices[i].start);
  }
}

void TraceWriter::write_arrow(const TraceArrow& arrow, std::uint64_t id) {
  const TraceSlice& from = t_.slices[arrow.from];
  const TraceSlice& to = t_.slices[arrow.to];
  // Perfetto counts in nanoseconds: one before the end is still in the slice.
  const Picoseconds at = arrow.to_end ? std::max({to.start, from.start, to.end - 1_ns}) : to.start;
  flow('s', arrow.category, id, from, from.start);
  flow('f', arrow.category, id, to, at);
}

void TraceWriter::put(std::string_view text) {
  buffer_ += text;
  constexpr std::size_t block = 1 << 16;
  if (buffer_.size() > block) flush();
}

void TraceWriter::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

void TraceWriter::line(std::string_view event) {
  put(first_ ? "" : ",\n");
  first_ = false;
  put(event);
}

}  // namespace horae::views
