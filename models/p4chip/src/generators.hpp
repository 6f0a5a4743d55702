// Packet generators of a pipe, as the control plane sets them up over time.
#pragma once

#include <vector>

#include "horae/p4prog/packet_generator.hpp"
#include "horae/programs/program.hpp"
#include "p4_config.hpp"
#include "port_numbers.hpp"

namespace horae::p4chip {

/// An application has a generator of the chip for each time that it is set up otherwise, and of
/// `port_down` for each port and each time that the control plane lets the port trigger it. Behind
/// them is one that makes what the CPU sends.
class Generators {
 public:
  Generators(const P4Files& files, unsigned pipe, const std::vector<unsigned>& pipe_of_port,
             const PortNumbers& ports);

  const std::vector<programs::PacketGenerator>& list() const { return list_; }
  /// Whether it makes what the CPU sends.
  bool is_cpu(std::size_t which) const { return which == apps_.size(); }
  const p4prog::GeneratorApp& app(std::size_t which) const { return apps_.at(which); }

 private:
  struct Window {
    unsigned number = 0;
    p4prog::GeneratorApp app;
    Picoseconds from{}, until = never;
  };
  static std::vector<Window> windows(const P4Files& files);
  void add(const Window& window, bool tofino2);
  void add_cpu(const P4Files& files);

  std::vector<programs::PacketGenerator> list_;
  std::vector<p4prog::GeneratorApp> apps_;  ///< of each
};

}  // namespace horae::p4chip
