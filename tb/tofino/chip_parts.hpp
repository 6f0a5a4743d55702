// Shared by tests of the switch chip: programs of one line, and a chip with a probe at each port.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/core/roce.hpp"
#include "horae/dataplane/register.hpp"
#include "horae/programs/program.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::test {

/// A program made of the test's functions; without them, a packet for node n leaves by port n.
struct LambdaProgram {
  unsigned ingress_chain = 2;  ///< registers that depend on each other, one per stage
  unsigned egress_chain = 0;
  std::function<void(dataplane::Pass&)> ingress = [](dataplane::Pass& pass) {
    pass.forward(pass.header().dst);
  };
  std::function<void(dataplane::Pass&)> egress = [](dataplane::Pass&) {};
  bool takes_deflected = false;
  bool resubmits = false;
  std::vector<std::vector<std::uint16_t>> groups = {};  ///< multicast
  std::vector<programs::PacketGenerator> generators = {};

  /// Reported for chains of dependent registers on Tofino2: 58 cycles for none, 62 for one, 22 more
  /// for each further one.
  static Cycles cycles(unsigned chain) {
    return Cycles(chain == 0 ? 58 : 62 + 22 * (std::int64_t{chain} - 1));
  }
  Cycles ingress_cycles() const { return cycles(ingress_chain); }
  Cycles egress_cycles() const { return cycles(egress_chain); }
};

class LambdaFactory final : public programs::ProgramFactory {
 public:
  explicit LambdaFactory(LambdaProgram program) : program_(std::move(program)) {}
  std::unique_ptr<programs::Program> make(dataplane::Pipeline& pipeline,
                                          const programs::Routes&) const override {
    return std::make_unique<Copy>(pipeline, program_);
  }
  nlohmann::ordered_json config() const override { return {}; }
  bool takes_deflected() const override { return program_.takes_deflected; }

 private:
  class Copy final : public programs::Program {
   public:
    Copy(dataplane::Pipeline& pipeline, const LambdaProgram& program) : program_(program) {
      build_chain(pipeline, dataplane::Gress::ingress, program.ingress_chain);
      build_chain(pipeline, dataplane::Gress::egress, program.egress_chain);
      if (program.resubmits) pipeline.set_resubmits();
    }
    void ingress(dataplane::Pass& pass) override { program_.ingress(pass); }
    void egress(dataplane::Pass& pass) override { program_.egress(pass); }
    std::span<const std::uint16_t> replicas(unsigned group) const override {
      if (group >= program_.groups.size()) return {};
      return program_.groups[group];
    }
    std::vector<programs::PacketGenerator> generators() const override {
      return program_.generators;
    }

   private:
    void build_chain(dataplane::Pipeline& pipeline, dataplane::Gress gress, unsigned length) {
      for (unsigned i = 0; i < length; ++i) {
        const auto needs = i == 0 ? dataplane::Needs{} : dataplane::Needs{matches(*chain_.back())};
        chain_.push_back(std::make_unique<dataplane::Register<std::uint32_t>>(
            pipeline, gress,
            fmt::format("{}{}", gress == dataplane::Gress::ingress ? "in" : "out", i), 1, 0,
            needs));
      }
    }

    LambdaProgram program_;
    std::vector<std::unique_ptr<dataplane::Object>> chain_;
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
  Chip(const Chip&) = delete;
  Chip& operator=(const Chip&) = delete;
  /// Whenever a test ends, every packet that has not ended is somewhere, once.
  ~Chip() {
    if (stopped || std::uncaught_exceptions() > 0) return;
    std::uint64_t held = chip->held();
    for (const auto& p : probes) held += p->held();
    EXPECT_EQ(held, chip->context().pool.live()) << "packets held by devices, and live";
  }
  probe& host(unsigned i) { return *probes[i]; }
  static Picoseconds wire(Bytes frame) { return serialisation_time(l1_bytes(frame), link.rate); }

  std::unique_ptr<tofino::tofino_switch> chip;
  std::vector<std::unique_ptr<probe>> probes;
  bool stopped = false;  ///< by an exception in the middle of a packet's way
};

}  // namespace horae::test
