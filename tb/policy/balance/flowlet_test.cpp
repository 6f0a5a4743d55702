// Balancers that look at the time and at rates: flowlets, weights; and answers of plug-ins.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/policy/balance/load_balancer.hpp"

namespace horae::policy {

// Wrapper of the registry around balancers of plug-ins.
std::unique_ptr<LoadBalancer> checked(std::unique_ptr<LoadBalancer> of, std::string_view name,
                                      std::string_view path);

namespace flowlet_test {
namespace {

struct Ports final : PortView {
  Bytes depth(unsigned) const override { return {}; }
  Picoseconds now() const override { return time; }
  BitRate rate(unsigned choice) const override { return rates.at(choice); }
  Picoseconds time{};
  std::vector<BitRate> rates;
};

Packet flow(std::uint32_t n) {
  Packet p;
  p.src = n % 97;
  p.dst = 1000 + n % 89;
  p.dest_qp = Qpn(n);
  p.entropy = 0xc000;
  return p;
}

TEST(LetFlow, AFlowKeepsItsPortUntilItLeavesAGap) {
  const auto lb = make_load_balancer("letflow", 1, "tor0.balance");
  Ports ports;
  const unsigned first = lb->choose(flow(1), 8, ports);
  for (int i = 0; i < 1000; ++i) {
    ports.time += 500_us - 1_ps;
    ASSERT_EQ(lb->choose(flow(1), 8, ports), first);
  }
}

// Each gap draws one of 8 ports: the share that stays is 1/8, and each port has 1/8 of flowlets.
// Bounds are five standard deviations.
TEST(LetFlow, AFlowletTakesAnyPort) {
  const auto lb = make_load_balancer("letflow", 1, "tor0.balance");
  Ports ports;
  constexpr int flowlets = 20'000;
  std::vector<int> counts(8);
  int stayed = 0;
  unsigned last = 8;
  for (int i = 0; i < flowlets; ++i) {
    ports.time += 500_us;
    const unsigned port = lb->choose(flow(1), 8, ports);
    stayed += port == last ? 1 : 0;
    ++counts.at(last = port);
  }
  const double bound = 5 * std::sqrt(flowlets * (1.0 / 8) * (7.0 / 8));
  EXPECT_NEAR(stayed, flowlets / 8.0, bound);
  for (const int c : counts) EXPECT_NEAR(c, flowlets / 8.0, bound);
}

TEST(LetFlow, FlowsBeginAnywhere) {
  const Ports still;
  const auto lb = make_load_balancer("letflow", 1, "tor0.balance");
  std::vector<int> counts(4);
  for (std::uint32_t n = 0; n < 4000; ++n) ++counts.at(lb->choose(flow(n), 4, still));
  for (const int c : counts) EXPECT_NEAR(c, 1000, 5 * std::sqrt(4000 * 0.25 * 0.75));
}

// Flows in proportion to rates: 400, 100 and 100 Gbps have 2/3, 1/6 and 1/6 of them. Bounds are
// five standard deviations.
TEST(Wcmp, FlowsAreInProportionToRates) {
  const auto lb = make_load_balancer("wcmp", 1, "tor0.balance");
  Ports ports;
  ports.rates = {400_Gbps, 100_Gbps, 100_Gbps};
  constexpr int flows = 60'000;
  std::vector<int> counts(3);
  for (std::uint32_t n = 0; n < flows; ++n) {
    const unsigned port = lb->choose(flow(n), 3, ports);
    ++counts.at(port);
    ASSERT_EQ(lb->choose(flow(n), 3, ports), port) << "a flow has one port";
  }
  const std::vector<double> shares = {2.0 / 3, 1.0 / 6, 1.0 / 6};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(counts[i], flows * shares[i], 5 * std::sqrt(flows * shares[i] * (1 - shares[i])));
  }
}

/// Faults of a plug-in.
enum class Fault { none, out_of_range, strange, nothing };
Fault fault = Fault::none;

struct Faulty final : LoadBalancer {
  unsigned choose(const Packet&, unsigned choices, const PortView&) override {
    if (fault == Fault::strange) throw 7;
    return fault == Fault::out_of_range ? choices + 99 : 1;
  }
};

std::string answer(Fault of) {
  fault = of;
  try {
    auto faulty = of == Fault::nothing ? nullptr : std::make_unique<Faulty>();
    const auto lb = checked(std::move(faulty), "faulty", "tor0.balance");
    return std::to_string(lb->choose(flow(1), 2, Ports()));
  } catch (const InputError& e) {
    return e.what();
  }
}

TEST(LoadBalancersOfPlugIns, FaultsAreOneLine) {
  EXPECT_EQ(answer(Fault::none), "1");
  EXPECT_EQ(answer(Fault::out_of_range),
            "load balancer 'faulty' (tor0.balance) chose candidate 101 of 2; expected 0 to 1");
  EXPECT_EQ(answer(Fault::strange),
            "load balancer 'faulty' (tor0.balance) threw something that is no std::exception");
  EXPECT_EQ(answer(Fault::nothing), "load balancer 'faulty' (tor0.balance) made nothing");
}

}  // namespace
}  // namespace flowlet_test
}  // namespace horae::policy
