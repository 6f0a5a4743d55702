// Common to all hardware that answers requests: a clock, pins, and the rules that they
// keep.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"

namespace horae::rtl {

/// One instance, whoever wrote it. `Inputs` has at least reset and request_valid, `Outputs`
/// request_ready and response_valid. Nothing moves but by `clock`.
template <class Inputs, class Outputs>
class ClockedTop {
 public:
  virtual ~ClockedTop() = default;

  /// One clock: the inputs at its rising edge, then the outputs after it.
  virtual void clock(const Inputs& inputs) = 0;
  virtual Outputs outputs() const = 0;

  /// All registers as bytes, and back (into an instance of the same hardware).
  virtual std::string save() = 0;
  virtual void restore(const std::string& registers) = 0;
  /// From now on every clock goes into a waveform file (VCD), until `stop_waveform`.
  virtual void start_waveform(const std::string& file) = 0;
  virtual void stop_waveform() = 0;
};

/// Told of every clock in which a request is served: the inputs at its rising edge, and the outputs
/// before it.
template <class Inputs, class Outputs>
class ClockObserver {
 public:
  virtual ~ClockObserver() = default;
  virtual void clocked(const Inputs& in, const Outputs& out) = 0;
};

/// Steps hardware clock by clock until it has answered: nothing is in flight between requests.
///
/// The rules of the pins are asked of every request, and a ModelError says which was broken: the
/// hardware is ready for a request when none is under way, there is no response without a request,
/// it comes in time, and it goes when it was taken.
template <class Inputs, class Outputs>
class Served {
 public:
  using Top = ClockedTop<Inputs, Outputs>;
  using Observer = ClockObserver<Inputs, Outputs>;
  /// `make(seed)`: an instance; seed 0 begins with every register 0, any other with random
  /// contents, as a chip may power up.
  using Make = std::unique_ptr<Top> (*)(std::uint32_t seed);

  /// A request and its answer; `clocks`: taken in all, 0 while it has none.
  struct Exchange {
    Inputs inputs;
    Outputs response{};
    std::uint32_t clocks = 0;
  };

  Served(std::unique_ptr<Top> top, Make make) : top_(std::move(top)), make_(make) {
    Inputs reset;
    reset.reset = true;
    top_->clock(reset);
    clocks_ = 1;
    exchanges_.reserve(2 * keep);
    before_ = top_->save();
  }

  /// `request` has request_valid and response_ready.
  Outputs serve(const Inputs& request) {
    if (exchanges_.size() == keep) between_ = top_->save();
    if (exchanges_.size() == 2 * keep) {
      before_ = std::move(between_);
      between_ = top_->save();
      exchanges_.erase(exchanges_.begin(), exchanges_.begin() + keep);
    }
    exchanges_.push_back({request, {}, 0});
    Outputs response;
    const std::uint32_t clocks = run(*top_, request, response, pins_);
    exchanges_.back().response = response;
    exchanges_.back().clocks = clocks;
    clocks_ += clocks;
    return response;
  }

  const Top& pins() const { return *top_; }
  std::uint64_t clocks() const { return clocks_; }  ///< since the first reset
  /// Clocks of the last request, without the one that took it.
  std::uint32_t last_clocks() const { return exchanges_.back().clocks - 1; }
  /// The latest requests, the oldest first: at least 512 once there were as many.
  const std::vector<Exchange>& exchanges() const { return exchanges_; }

  /// Reports the pins to `observer` from now on; null: no observer. The caller keeps it alive.
  void watch_pins(Observer* observer) { pins_ = observer; }

  /// Writes a waveform (VCD) of the last `clocks` clocks, or of as many as are kept: at least 512
  /// requests. They are replayed in another instance from registers saved before.
  void write_waveform(const std::string& file, std::uint64_t clocks) const {
    const auto fresh = make_(0);
    fresh->restore(before_);
    std::uint64_t left = 0;
    for (const Exchange& e : exchanges_) left += e.clocks;
    bool writing = false;
    for (const Exchange& e : exchanges_) {
      // The last may be one that never ended.
      if (!writing && (left <= clocks || &e == &exchanges_.back())) {
        fresh->start_waveform(file);
        writing = true;
      }
      Outputs response;
      if (e.clocks > 0) {
        run(*fresh, e.inputs, response, nullptr);
      } else {
        Inputs inputs = e.inputs;
        for (std::uint64_t i = 0; i < clocks; ++i) {
          fresh->clock(inputs);
          inputs.request_valid = false;
        }
      }
      left -= e.clocks;
    }
    fresh->stop_waveform();
  }

 private:
  static constexpr std::ptrdiff_t keep = 512;
  // Far above what any request takes: all of a search and of the largest bitmap of an ordering
  // layer, one word at a time.
  static constexpr std::uint32_t most_clocks = 1'000'000;

  // Clocks until the response was taken; the request is taken in the first.
  static std::uint32_t run(Top& top, Inputs inputs, Outputs& response, Observer* pins) {
    if (!top.outputs().request_ready) throw ModelError("not ready for a request");
    if (top.outputs().response_valid) throw ModelError("a response without a request");
    if (pins != nullptr) pins->clocked(inputs, top.outputs());
    top.clock(inputs);
    inputs.request_valid = false;
    std::uint32_t clocks = 1;
    for (;;) {
      response = top.outputs();
      if (pins != nullptr) pins->clocked(inputs, response);
      top.clock(inputs);
      ++clocks;
      if (response.response_valid) {
        if (top.outputs().response_valid)
          throw ModelError("response_valid stays after the response was taken");
        return clocks;
      }
      if (clocks > most_clocks)
        throw ModelError(fmt::format("no response after {} clocks", most_clocks));
    }
  }

  std::unique_ptr<Top> top_;
  Make make_;
  Observer* pins_ = nullptr;
  std::uint64_t clocks_ = 0;
  // The registers before exchanges_, and those before its later part.
  std::string before_;
  std::string between_;
  std::vector<Exchange> exchanges_;
};

}  // namespace horae::rtl
