#include "horae/p4prog/packet_generator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/p4prog/chip_ports.hpp"

namespace horae::p4prog {

using Trigger = GeneratorApp::Trigger;

namespace {

constexpr std::size_t context_bytes = 16;  // before the packet, of what triggered it (Tofino2)
constexpr unsigned most_lane = 127;

std::uint8_t byte_of(const std::array<std::uint64_t, 2>& words, std::size_t from_last) {
  return static_cast<std::uint8_t>(words[from_last / 8] >> 8 * (from_last % 8));
}

}  // namespace

void GeneratorTable::write(std::size_t offset, std::span<const std::uint8_t> bytes) {
  if (offset % row_bytes != 0)
    throw InputError(fmt::format("offset = {}; expected a multiple of {}", offset, row_bytes));
  if (offset + bytes.size() > buffer_bytes)
    throw InputError(
        fmt::format("{} bytes at {} of a buffer of {}", bytes.size(), offset, buffer_bytes));
  buffer_.resize(std::max(buffer_.size(), offset + bytes.size()));
  std::ranges::copy(bytes, buffer_.begin() + static_cast<std::ptrdiff_t>(offset));
}

void GeneratorTable::set(unsigned number, const GeneratorApp& app) {
  const unsigned most = tofino2 ? apps_of_tofino2 : apps_of_tofino;
  const char* chip = tofino2 ? "Tofino2" : "Tofino";
  if (number >= most)
    throw InputError(fmt::format("app = {}; {} has 0 to {}", number, chip, most - 1));
  if (!tofino2 && app.trigger == Trigger::deparser)
    throw InputError("trigger = \"deparser\" is of Tofino2");
  if (app.trigger == Trigger::timer && app.timer <= Picoseconds{})
    throw InputError("timer = 0; expected the time between two triggers");
  if (app.offset % row_bytes != 0)
    throw InputError(fmt::format("offset = {}; expected a multiple of {}", app.offset, row_bytes));
  if (app.offset + app.length > buffer_bytes)
    throw InputError(
        fmt::format("{} bytes at {} of a buffer of {}", app.length, app.offset, buffer_bytes));
  const auto wide = [](const auto& words) { return (words[0] >> 32) != 0 || words[1] != 0; };
  if (!tofino2 && wide(app.value))
    throw InputError("value of more than 32 bits; Tofino compares the first four bytes");
  if (app.port && *app.port > most_lane)
    throw InputError(fmt::format("port = {}; a pipe has 0 to {}", *app.port, most_lane));
  const Key key = key_of(number, app);
  for (const auto& [other, there] : apps) {
    if (other.first != number || other == key) continue;
    for (unsigned pipe = 0; pipe < 4; ++pipe) {
      if (app.is_in(pipe) && there.is_in(pipe))
        throw InputError(
            fmt::format("packet generator {} of pipe {} is set up twice", number, pipe));
    }
  }
  apps[key] = app;
}

bool GeneratorTable::matches(const GeneratorApp& app, std::span<const std::uint8_t> bytes) const {
  const std::size_t compared = tofino2 ? context_bytes : 4;
  for (std::size_t i = 0; i < compared; ++i) {
    const std::uint8_t byte = i < bytes.size() ? bytes[i] : std::uint8_t{0};
    const std::size_t from_last = compared - 1 - i;
    if (((byte ^ byte_of(app.value, from_last)) & byte_of(app.mask, from_last)) != 0) return false;
  }
  return true;
}

std::vector<std::uint8_t> GeneratorTable::packet(unsigned number, const GeneratorApp& app,
                                                 unsigned pipe, std::uint32_t batch,
                                                 std::uint32_t packet,
                                                 const GeneratorEvent& event) const {
  std::vector<std::uint8_t> out;
  const auto put16 = [&](std::uint32_t value) {
    out.push_back(static_cast<std::uint8_t>(value >> 8));
    out.push_back(static_cast<std::uint8_t>(value));
  };
  const auto byte = [&](std::size_t i) {
    return i < event.bytes.size() ? event.bytes[i] : std::uint8_t{0};
  };
  out.push_back(static_cast<std::uint8_t>(pipe << (tofino2 ? 4 : 3) | number));
  if (app.trigger == Trigger::recirculation && !tofino2) {
    // The first byte is left out; the batch is in the sum (TNA 9.5).
    out.push_back(byte(1));
    put16((std::uint32_t{byte(2)} << 8 | byte(3)) + batch);
  } else {
    out.push_back(0);
    put16(app.trigger == Trigger::port_down ? event.port : batch);
  }
  put16(packet);
  const bool asks = app.trigger == Trigger::deparser;
  if (asks || (app.trigger == Trigger::recirculation && tofino2)) {
    for (std::size_t i = 0; i < context_bytes; ++i) out.push_back(byte(i));
  }
  const std::size_t from = asks ? event.offset : app.offset;
  const std::size_t to = from + (asks ? event.length : app.length);
  for (std::size_t at = from; at < to; ++at)
    out.push_back(at < buffer_.size() ? buffer_[at] : std::uint8_t{0});
  return out;
}

unsigned GeneratorTable::port(const GeneratorApp& app, unsigned pipe, std::uint32_t packet) const {
  unsigned lane = app.port.value_or(recirculation_lane(tofino2));
  if (app.increments_port) {
    const unsigned lanes = app.last_port && *app.last_port >= lane ? *app.last_port - lane + 1 : 0;
    lane += lanes == 0 ? packet : packet % lanes;
  }
  return pipe << 7 | (lane & most_lane);
}

}  // namespace horae::p4prog
