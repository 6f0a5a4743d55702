// Files that are written where a model and its hardware differ.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "horae/core/error.hpp"
#include "horae/rtl/clocked.hpp"

namespace horae::rtl {

/// Ends the run: `waveform.vcd` (the last thousand clocks), `rtl.txt` and `model.txt` (the latest
/// requests and answers, a line each) in `folder`, and a ModelError of one line.
/// `line(exchange)` is a request, `answer(outputs)` what the hardware said, `model(i)` what the
/// model said to request i of those that are kept.
template <class In, class Out, class Line, class Answer, class Model>
[[noreturn]] void report_difference(const Served<In, Out>& hardware, std::string_view name,
                                    std::uint64_t request, const std::string& folder,
                                    const std::string& difference, Line line, Answer answer,
                                    Model model) {
  std::string where = "model.txt, rtl.txt and waveform.vcd in " + folder;
  try {
    const std::filesystem::path to(folder);
    std::filesystem::create_directories(to);
    std::ofstream of_model(to / "model.txt"), of_rtl(to / "rtl.txt");
    std::size_t i = 0;
    for (const auto& exchange : hardware.exchanges()) {
      const std::string asked = line(exchange.inputs);
      of_model << asked << ": " << model(i++) << '\n';
      of_rtl << asked << ": " << (exchange.clocks == 0 ? "no answer" : answer(exchange.response))
             << '\n';
    }
    hardware.write_waveform((to / "waveform.vcd").string(), 1000);
  } catch (const std::exception& e) {
    where = std::string("the states could not be written: ") + e.what();
  }
  throw ModelError(fmt::format("{}: model and RTL differ at request {}: {}; {}", name, request,
                               difference, where));
}

}  // namespace horae::rtl
