// A policy owns its parameters: what it declares in its registry entry is read, dumped, described
// and refused by the table of its seam, which knows nothing of it.
#include "horae/policy/parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "horae/core/error.hpp"
#include "horae/core/registry.hpp"
#include "horae/params/document.hpp"
#include "horae/policy/balance/load_balancer.hpp"
#include "horae/policy/congestion/dcqcn.hpp"
#include "horae/policy/congestion/nack_reaction.hpp"
#include "horae/policy/ordering/irn.hpp"
#include "horae/policy/ordering/memory_controller.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/retransmit/parameters.hpp"
#include "horae/policy/transport/transport.hpp"

namespace horae::policy::parameters_test {

/// The parameter of a policy that only this test knows.
struct Sticky {
  std::uint32_t packets = 8;

  static const Schema<Sticky>& schema() {
    static const Schema<Sticky> s =
        Schema<Sticky>("sticky", "A port for some packets.")
            .field("packets", &Sticky::packets,
                   {.doc = "sticky: packets in a row through one port", .min = 1, .max = 64});
    return s;
  }
};

class StickyBalancer final : public LoadBalancer {
 public:
  explicit StickyBalancer(const Sticky& parameters) : packets_(parameters.packets) {}
  unsigned choose(const Packet&, unsigned choices, const PortView&) override {
    return count_++ / packets_ % choices;
  }

 private:
  std::uint32_t packets_;
  std::uint32_t count_ = 0;
};

BalancerEntry sticky_balancer() {
  return {.name = "sticky",
          .doc = "some packets through one port, then the next",
          .make = [](std::uint64_t, std::string_view,
                     const PolicyParameters& parameters) -> std::unique_ptr<LoadBalancer> {
            return std::make_unique<StickyBalancer>(parameters.of<Sticky>());
          },
          .parameters = {table_of<Sticky>()}};
}

TransportEntry hasty_transport() {
  TransportEntry entry = find_transport("go_back_n");
  entry.name = "hasty";
  entry.parameters = {keys_of<Sticky>()};
  entry.own_timeout = [](const TransportConfig& config) -> Timeout {
    return {"packets", 1_us * config.parameters.of<Sticky>().packets};
  };
  return entry;
}

template <class Entry>
std::vector<Entry> and_also(std::vector<Entry> registry, Entry entry) {
  registry.push_back(std::move(entry));
  return registry;
}

Section table(const std::string& text) { return Document::parse(text, "p.toml").root(); }

template <class T>
std::string refusal(const Schema<T>& schema, const std::string& text) {
  try {
    table(text).read(schema);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

bool has(const std::vector<ParamInfo>& described, const std::string& path) {
  return std::any_of(described.begin(), described.end(),
                     [&](const ParamInfo& p) { return p.path == path; });
}

TEST(PolicyParameters, WhatNobodySetHasItsDefaults) {
  const PolicyParameters empty;
  EXPECT_EQ(empty.of<Sticky>().packets, 8u);
  PolicyParameters set = PolicyParameters::with(Sticky{.packets = 3}, BitmapReach{.bits = 64});
  Sticky& sticky = set.of<Sticky>();
  set.of<IrnBitmap>().bdp = 7;  // references stay good
  sticky.packets += 1;
  const PolicyParameters copy = set;
  EXPECT_EQ(copy.of<Sticky>().packets, 4u);
  EXPECT_EQ(copy.of<BitmapReach>().bits, 64u);
  EXPECT_EQ(copy.of<IrnBitmap>().bdp, 7u);
}

TEST(PolicyParameters, ANewLoadBalancerIsReadDumpedAndDescribedInATableOfItsOwn) {
  const auto registry = and_also(load_balancers(), sticky_balancer());
  const ParameterSchema schema = parameters_of(registry);
  const auto given = table("[sticky]\npackets = 2\n").read(schema);
  EXPECT_EQ(given.of<Sticky>().packets, 2u);
  const auto dump = schema.dump(given);
  EXPECT_EQ(dump.at("sticky"), (nlohmann::ordered_json{{"packets", 2}}));
  EXPECT_EQ(dump.begin().key(), "hash");  // as the registry has them
  EXPECT_EQ(schema.dump({}).at("sticky").at("packets"), 8);
  EXPECT_TRUE(has(schema.describe(), "sticky.packets"));
  EXPECT_FALSE(has(parameters_of(load_balancers()).describe(), "sticky.packets"));

  const auto made = find_named(registry, "load balancer", "sticky").make(1, "x", given);
  struct NoView final : PortView {
    Bytes depth(unsigned) const override { return {}; }
  };
  std::vector<unsigned> chosen;
  for (int i = 0; i < 6; ++i) chosen.push_back(made->choose({}, 2, NoView()));
  EXPECT_EQ(chosen, (std::vector<unsigned>{0, 0, 1, 1, 0, 0}));
}

TEST(PolicyParameters, WhatIsWrongIsRefusedWithItsPlace) {
  const auto schema = parameters_of(and_also(load_balancers(), sticky_balancer()));
  EXPECT_EQ(refusal(schema, "[sticky]\npackets = 65\n"),
            "p.toml:2:11: packets = 65 is above the maximum 64");
  EXPECT_EQ(refusal(schema, "[sticky]\npacket = 6\n"),
            "p.toml:2:1: unknown key 'packet' in [sticky], did you mean 'packets'?");
  EXPECT_EQ(refusal(schema, "[sticki]\npackets = 6\n"),
            "p.toml:1:2: unknown key 'sticki' at the top level, did you mean 'sticky'?");
}

TEST(PolicyParameters, ANewTransportsKeysAreBesideThoseOfAll) {
  const auto schema = TransportConfig::schema_with(and_also(transports(), hasty_transport()));
  const auto config = table("window = 16\npackets = 5\nrto = '10 us'\n").read(schema);
  EXPECT_EQ(config.window, 16u);
  EXPECT_EQ(config.parameters.of<Sticky>().packets, 5u);
  std::vector<std::string> keys;
  const auto dump = schema.dump(config);
  for (const auto& [key, value] : dump.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"window", "ack_every", "ack_request_every", "rto",
                                            "rto_low", "rto_low_packets", "sack_bits", "timer",
                                            "packets", "timeout_resend"}));
  EXPECT_EQ(refusal(schema, "packets = 0\n"), "p.toml:1:11: packets = 0 is below the minimum 1");
  EXPECT_EQ(refusal(TransportConfig::schema(), "packets = 5\n").substr(0, 27),
            "p.toml:1:1: unknown key 'pa");
  // The shorter of both timeouts is the one that counts.
  EXPECT_EQ(shortest_timeout(hasty_transport(), config).key, "packets");
  EXPECT_EQ(shortest_timeout(hasty_transport(), config).value, 5_us);
  EXPECT_EQ(shortest_timeout(find_transport("go_back_n"), config).key, "rto");
  TransportConfig shorter = config;
  shorter.rto = 4_us;
  EXPECT_EQ(shortest_timeout(hasty_transport(), shorter).key, "rto");
}

TEST(PolicyParameters, NewMechanismsAlgorithmsReactionsAndEnginesLikewise) {
  RetransmitEntry mechanism = retransmit_policies().front();
  mechanism.name = "sticky";
  mechanism.parameters = {table_of<Sticky>()};
  EXPECT_EQ(table("policies = ['sticky']\n[sticky]\npackets = 9\n")
                .read(RetransmitConfig::schema_with(and_also(retransmit_policies(), mechanism)))
                .parameters.of<Sticky>()
                .packets,
            9u);

  CongestionEntry algorithm = congestion_algorithms().front();
  algorithm.name = "sticky";
  algorithm.parameters = {table_of<Sticky>()};
  NackReactionEntry reaction = nack_reactions().front();
  reaction.name = "sticky";
  reaction.parameters = {keys_of<NackCut>()};  // shared with others: no key twice
  const auto congestion = CongestionConfig::schema_with(
      and_also(congestion_algorithms(), algorithm), and_also(nack_reactions(), reaction));
  const auto read =
      table(
          "algorithm = 'sticky'\nnack_reaction = 'sticky'\nnack_rate_kept = 9\n[sticky]\n"
          "packets = 7\n")
          .read(congestion);
  EXPECT_EQ(read.parameters.of<Sticky>().packets, 7u);
  EXPECT_EQ(read.parameters.of<NackCut>().rate_kept, 9u);

  OrderingEntry engine = ordering_engines().back();
  engine.name = "sticky";
  engine.parameters = {keys_of<BitmapReach>(), keys_of<Sticky>()};
  const auto ordering =
      table("engine = 'sticky'\nbits = 32\npackets = 3\n")
          .read(OrderingConfig::schema_with(and_also(ordering_engines(), engine)));
  EXPECT_EQ(ordering.parameters.of<BitmapReach>().bits, 32u);
  EXPECT_EQ(ordering.parameters.of<Sticky>().packets, 3u);
}

struct Other {
  bool packets = false;
  static const Schema<Other>& schema() {
    static const Schema<Other> s =
        Schema<Other>("other", "Another.").field("packets", &Other::packets);
    return s;
  }
};

TEST(PolicyParameters, TwoPoliciesCannotHaveOneKeyForDifferentThings) {
  EXPECT_THROW(schema_of({keys_of<Sticky>(), keys_of<Other>()}), ModelError);
  EXPECT_NO_THROW(schema_of({keys_of<Sticky>(), keys_of<Sticky>()}));
}

TEST(PolicyParameters, AParameterOfAPolicyThatIsNotInForceIsFound) {
  const auto policies = named_parameters(and_also(load_balancers(), sticky_balancer()));
  const auto given = PolicyParameters::with(Sticky{.packets = 3});
  const auto idle = find_idle_parameter(policies, "ecmp_linear", given);
  ASSERT_TRUE(idle);
  EXPECT_EQ(idle->key, "sticky");
  EXPECT_EQ(idle->policy, "sticky");
  EXPECT_FALSE(find_idle_parameter(policies, "sticky", given));
  EXPECT_FALSE(find_idle_parameter(policies, "ecmp", PolicyParameters::with(Sticky{})));
  EXPECT_TRUE(
      find_idle_parameter(policies, "ecmp", PolicyParameters::with(LinearHashConfig{.offset = 1})));
}

}  // namespace horae::policy::parameters_test
