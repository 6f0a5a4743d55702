// What tests of the switch chip share: programs of one line, and a chip with a probe at each port.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/core/roce.hpp"
#include "horae/programs/program.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::test {

/// A program made of the test's functions; without them, a packet for node n leaves by port n.
struct LambdaProgram {
  Cycles ingress_cycles{98};
  Cycles egress_cycles{58};
  std::function<void(dataplane::Pass&)> ingress = [](dataplane::Pass& pass) {
    pass.forward(pass.header().dst);
  };
  std::function<void(dataplane::Pass&)> egress = [](dataplane::Pass&) {};
};

class LambdaFactory final : public programs::ProgramFactory {
 public:
  explicit LambdaFactory(LambdaProgram program) : program_(std::move(program)) {}
  std::unique_ptr<programs::Program> make(dataplane::Pipeline&,
                                          const programs::Routes&) const override {
    return std::make_unique<Copy>(program_);
  }
  nlohmann::ordered_json config() const override { return {}; }

 private:
  class Copy final : public programs::Program {
   public:
    explicit Copy(const LambdaProgram& program) : program_(program) {}
    void ingress(dataplane::Pass& pass) override { program_.ingress(pass); }
    void egress(dataplane::Pass& pass) override { program_.egress(pass); }
    Cycles mau_cycles(dataplane::Gress gress) const override {
      return gress == dataplane::Gress::ingress ? program_.ingress_cycles : program_.egress_cycles;
    }

   private:
    LambdaProgram program_;
  };
  LambdaProgram program_;
};

/// A chip with a probe at each of its ports; probe i has index i and is reached as node i.
struct Chip {
  static constexpr fabric::LinkConfig link{.rate = 100_Gbps, .delay = 503'017_ps};

  Chip(fabric::sim_context& context, const tofino::ChipConfig& config, unsigned ports,
       const LambdaProgram& program = {})
      : chip(std::make_unique<tofino::tofino_switch>("tor", context, config, ports,
                                                     LambdaFactory(program), programs::Routes{})) {
    for (unsigned i = 0; i < ports; ++i) {
      probes.push_back(std::make_unique<probe>(fmt::format("host{}", i).c_str(), context, 1, i));
      connect(*chip, i, *probes[i], 0, link);
    }
  }
  probe& host(unsigned i) { return *probes[i]; }
  static Picoseconds wire(Bytes frame) { return serialisation_time(l1_bytes(frame), link.rate); }

  std::unique_ptr<tofino::tofino_switch> chip;
  std::vector<std::unique_ptr<probe>> probes;
};

}  // namespace horae::test
