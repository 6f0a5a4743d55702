#include "horae/views/port_captures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "horae/capture/writer.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/elaboration/simulation.hpp"

namespace horae::views {

PortCaptures::PortCaptures(const ViewOptions& options, const ViewFilter& filter,
                           const config::PlatformConfig& platform)
    : filter_(filter), most_(options.most), codes_(platform.codes) {
  const auto& topology = platform.topology;
  for (const auto& text : options.pcap) {
    std::string name = text;
    std::optional<unsigned> only;
    if (topology.find(name) < 0) {
      if (const auto colon = text.rfind(':'); colon != std::string::npos) {
        unsigned n = 0;
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, n);
        if (error != std::errc() || stop != end)
          throw InputError(
              fmt::format("--pcap {}: expected the number of a port behind ':'", printable(text)));
        only = n;
        name.resize(colon);
      }
    }
    const int device = topology.find(name);
    if (device < 0) {
      std::vector<std::string> names;
      for (const auto& v : topology.vertices()) names.push_back(v.name);
      throw InputError(
          fmt::format("--pcap {}: no such device{}", printable(text), suggestion(name, names)));
    }
    const unsigned ports = topology.vertices()[static_cast<std::size_t>(device)].ports;
    if (only && *only >= ports) {
      throw InputError(fmt::format("--pcap {}: '{}' has ports 0 to {}", printable(text), name,
                                   std::int64_t{ports} - 1));
    }
    for (char& c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.') c = '_';
    }
    for (unsigned i = only.value_or(0); i < (only ? *only + 1 : ports); ++i) {
      const auto same = [&](const Port& p) {
        return p.device == static_cast<unsigned>(device) && p.port == i;
      };
      if (std::none_of(ports_.begin(), ports_.end(), same))
        ports_.push_back({fmt::format("{}_{}", name, i), static_cast<unsigned>(device), i, {}});
    }
  }
}

void PortCaptures::learn(const elaboration::Simulation& simulation) {
  carried_ = simulation.contents();
  if (std::ranges::any_of(simulation.tofinos(),
                          [](const auto* c) { return c->frames() != nullptr; }))
    wire_ = &simulation.context().bytes;
  carries_feedback_ = simulation.context().pool.carries_feedback();
  for (std::size_t i = 0; i < ports_.size(); ++i)
    by_port_[{simulation.devices()[ports_[i].device].get(), ports_[i].port}] = i;
  connections_ = "sender,receiver,sender_qp,receiver_qp,entropy,first_psn\n";
  for (const auto& f : simulation.flows()) {
    const auto& config = f.sender->queue_pair(f.sender_qp).config();
    connections_ +=
        fmt::format("{},{},{:#x},{:#x},{},{}\n", f.sender->name(), f.receiver->name(),
                    rnic::rnic::first_qpn + f.sender_qp, rnic::rnic::first_qpn + f.receiver_qp,
                    config.entropy, config.first_send.value());
  }
}

void PortCaptures::add(const fabric::device& d, unsigned port, const Packet& p, Picoseconds at) {
  const auto it = by_port_.find({&d, port});
  if (it == by_port_.end() || !filter_.overlaps(at, at) || !filter_.wants(p)) return;
  if (kept_ >= most_) {
    full_at_ = std::min(full_at_, at);
    return;
  }
  ++kept_;
  std::optional<std::size_t> feedback;
  if (carries_feedback_ && p.opcode == Opcode::acknowledge && feedback_of(p).asked) {
    feedback = feedback_.size();
    feedback_.push_back(feedback_of(p));
  }
  std::optional<std::size_t> contents;
  if (const auto* found = carried_ == nullptr ? nullptr : carried_->find(p)) {
    contents = contents_.size();
    contents_.push_back(*found);
  }
  std::optional<std::size_t> bytes;
  if (wire_ != nullptr && p.corrupted) {
    bytes = bytes_.size();
    wire_->arrive(p, bytes_.emplace_back());
  }
  ports_[it->second].records.push_back({at, p, feedback, contents, bytes});
}

void PortCaptures::arrived(const fabric::device& d, unsigned port, const Packet& p, Picoseconds at,
                           Picoseconds) {
  add(d, port, p, at);
}

void PortCaptures::sent(const fabric::device& d, unsigned port, const Packet& p, Picoseconds,
                        Picoseconds, Picoseconds last_bit) {
  add(d, port, p, last_bit);
}

void PortCaptures::write(results::ResultFolder& folder) {
  for (auto& port : ports_) {
    std::stable_sort(port.records.begin(), port.records.end(),
                     [](const Record& a, const Record& b) { return a.at < b.at; });
    const auto path = folder.place("ports/" + port.name + ".pcap");
    capture::CaptureWriter writer(path.string());
    for (const auto& r : port.records) {
      if (r.at >= full_at_) break;  // from there on some are missing
      constexpr std::int64_t ps_per_ns = 1000;
      if (r.bytes) {
        const FrameBytes& bytes = bytes_[*r.bytes];
        writer.write(r.at.count() / ps_per_ns, {bytes.data(), bytes.size()},
                     static_cast<std::uint32_t>(bytes.size()));
        continue;
      }
      const EncodedPacket frame =
          encode_packet(r.packet, r.feedback ? &feedback_[*r.feedback] : nullptr,
                        r.contents ? &contents_[*r.contents] : nullptr, {}, codes_);
      writer.write(r.at.count() / ps_per_ns, frame.bytes, frame.length);
    }
    writer.close();
  }
  folder.write("ports/connections.csv", connections_);
}

}  // namespace horae::views
