// One turn for all destinations: what its draws do to others.
#include <gtest/gtest.h>

#include <vector>

#include "horae/params/document.hpp"
#include "horae/policy/balance/load_balancer.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy::round_robin_test {
namespace {

class NoDepths final : public PortView {
 public:
  Bytes depth(unsigned) const override { return Bytes(0); }
};

std::vector<unsigned> orders(bool lone_ports_between) {
  const auto document = Document::parse("[s]\nturn = \"switch\"\n", "p.toml");
  const auto parameters = parameters_of(load_balancers()).read(document.root().child("s"));
  const auto lb = make_load_balancer("round_robin", 1, "x", parameters);
  Packet data;
  data.frame = 4130;
  std::vector<unsigned> out;
  for (int i = 0; i < 64; ++i) {
    out.push_back(lb->choose(data, 4, NoDepths()));
    if (lone_ports_between) lb->choose(data, 1, NoDepths());
  }
  return out;
}

// Where there is one way only nothing is drawn: the others' orders are what they were.
TEST(RoundRobin, ALonePortTakesNoDraw) { EXPECT_EQ(orders(true), orders(false)); }

}  // namespace
}  // namespace horae::policy::round_robin_test
