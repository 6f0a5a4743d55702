#include "horae/views/nack_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace horae::views {

using nlohmann::ordered_json;

ordered_json trace_events(const rnic::Timeline& timeline, const std::string& process, unsigned pid,
                          unsigned first_tid) {
  using Kind = rnic::Timeline::Kind;
  ordered_json events = ordered_json::array();
  if (timeline.entries().empty()) return events;
  events.push_back(
      {{"name", "process_name"}, {"ph", "M"}, {"pid", pid}, {"args", {{"name", process}}}});
  std::vector<std::string> tracks;
  std::uint64_t id = 0;
  for (const auto& e : timeline.entries()) {
    auto track = std::find(tracks.begin(), tracks.end(), e.track);
    if (track == tracks.end()) {
      track = tracks.insert(tracks.end(), e.track);
      events.push_back({{"name", "thread_name"},
                        {"ph", "M"},
                        {"pid", pid},
                        {"tid", first_tid + tracks.size() - 1},
                        {"args", {{"name", e.track}}}});
    }
    ordered_json event = {{"name", e.name},
                          {"cat", e.track},
                          {"pid", pid},
                          {"tid", first_tid + (track - tracks.begin())},
                          {"ts", to_microseconds(e.start)}};
    switch (e.kind) {
      case Kind::span:
        event["ph"] = "X";
        event["dur"] = to_microseconds(e.end - e.start);
        break;
      case Kind::overlap: {
        event["ph"] = "b";
        event["id"] = ++id;
        events.push_back(event);
        event["ph"] = "e";
        event["ts"] = to_microseconds(e.end);
        break;
      }
      case Kind::instant:
        event["ph"] = "i";
        event["s"] = "t";
        break;
      case Kind::level:
        event["name"] = e.track;
        event["ph"] = "C";
        event["args"] = {{"value", e.value}};
        break;
    }
    events.push_back(event);
  }
  return events;
}

std::string chrome_trace(const rnic::Timeline& timeline, const std::string& device) {
  const ordered_json events = trace_events(timeline, device, 1, 1);
  if (events.empty()) return {};
  return ordered_json{{"displayTimeUnit", "ns"}, {"traceEvents", events}}.dump(0) + "\n";
}

}  // namespace horae::views
