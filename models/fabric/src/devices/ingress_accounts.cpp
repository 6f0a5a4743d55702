#include "horae/fabric/devices/ingress_accounts.hpp"

#include "horae/params/schema.hpp"

namespace horae::fabric {

const Schema<PfcOfRate>& PfcOfRate::schema() {
  static const Schema<PfcOfRate> s =
      Schema<PfcOfRate>("by_rate", "Dynamic PFC threshold of the ports of one rate.")
          .required("rate", &PfcOfRate::rate, {.doc = "line rate of the ports", .min = 1_Gbps})
          .required("alpha", &PfcOfRate::alpha,
                    {.doc = "pause above alpha x free shared buffer",
                     .min = 1.0 / 65536,
                     .max = 256.0,
                     .source = "the simulator of HPCC (SIGCOMM 2019), alibaba-edu at 9f4be2a, "
                               "third.cc: 1/8 at the NICs' rate, twice as much at twice the rate"});
  return s;
}

const Schema<PfcOfClass>& PfcOfClass::schema() {
  static const Schema<PfcOfClass> s =
      Schema<PfcOfClass>("by_class", "PFC thresholds of one traffic class that pauses.")
          .required("number", &PfcOfClass::number,
                    {.doc = "number of the traffic class, one of priorities", .max = 7})
          .field("xoff", &PfcOfClass::xoff,
                 {.doc = "its xoff, where thresholds are fixed; absent: that of [pfc]", .min = 1_B})
          .field("xon", &PfcOfClass::xon,
                 {.doc = "its xon, where thresholds are fixed; absent: that of [pfc]", .min = 0_B})
          .field("alpha", &PfcOfClass::alpha,
                 {.doc = "its alpha at ports of every rate, where thresholds are dynamic; absent: "
                         "that of [pfc] or by_rate",
                  .min = 1.0 / 65536,
                  .max = 256.0,
                  .source = "buffer profiles of SONiC have a dynamic_th for each priority group"})
          .field("minimum", &PfcOfClass::minimum,
                 {.doc = "bytes reserved for it at each port, where thresholds are dynamic; "
                         "absent: that of [pfc]",
                  .min = 0_B})
          .field("headroom", &PfcOfClass::headroom,
                 {.doc = "its headroom at every port; absent: that of [pfc], or the least of each "
                         "port's link",
                  .min = 1_B});
  return s;
}

const PfcOfClass* PfcConfig::of_class(unsigned traffic_class) const {
  if (!by_class) return nullptr;
  for (const PfcOfClass& c : *by_class) {
    if (c.number == traffic_class) return &c;
  }
  return nullptr;
}

Bytes PfcConfig::own(unsigned traffic_class) const {
  const PfcOfClass* c = of_class(traffic_class);
  if (dynamic()) return c != nullptr ? c->minimum.value_or(minimum) : minimum;
  return c != nullptr ? c->xoff.value_or(xoff) : xoff;
}

Bytes PfcConfig::reserved(Bytes headroom_of_port, unsigned among) const {
  if (!priorities) return (headroom_of_port + own(0)) * std::int64_t{classes};
  Bytes sum{};
  for (const std::uint32_t c : *priorities) {
    if ((among >> c & 1u) == 0) continue;
    const PfcOfClass* of = of_class(c);
    sum += own(c) + (of != nullptr ? of->headroom.value_or(headroom_of_port) : headroom_of_port);
  }
  return sum;
}

Bytes PfcConfig::pool(Bytes buffer, const std::vector<Bytes>& headrooms, unsigned among) const {
  for (const Bytes h : headrooms) buffer -= reserved(h, among);
  return buffer;
}

double PfcConfig::alpha_of(BitRate rate) const {
  if (by_rate) {
    for (const PfcOfRate& r : *by_rate) {
      if (r.rate == rate) return r.alpha;
    }
  }
  return alpha;
}

IngressAccounts::IngressAccounts(const PfcConfig& config, const BufferPools& pools, unsigned ports,
                                 unsigned queues)
    : config_(config),
      pools_(pools),
      bounded_(pools.size(pools.count() - 1).count() > 0 || pools.several()),
      queues_of_port_(ports > 0 ? queues / ports : 0),
      headrooms_(ports, config.headroom),
      queues_(queues) {
  for (std::size_t p = 0; p < pools.count(); ++p)
    free_.push_back(config.pool(pools.size(p), headrooms_, pools.classes_of(p)).count());
  for (unsigned port = 0; port < ports; ++port) set_queues(port, config.alpha, config.headroom);
}

void IngressAccounts::set_port(unsigned port, double alpha, Bytes headroom) {
  for (std::size_t p = 0; p < free_.size(); ++p) {
    const unsigned classes = pools_.classes_of(p);
    free_[p] +=
        (config_.reserved(headrooms_[port], classes) - config_.reserved(headroom, classes)).count();
  }
  headrooms_[port] = headroom;
  set_queues(port, alpha, headroom);
}

void IngressAccounts::set_queues(unsigned port, double alpha, Bytes headroom) {
  for (unsigned c = 0; c < queues_of_port_; ++c) {
    Queue& q = queues_[port * queues_of_port_ + c];
    const PfcOfClass* of = config_.of_class(c);
    q.allowed = (of != nullptr ? of->headroom.value_or(headroom) : headroom).count();
    q.alpha = in_units(of != nullptr ? of->alpha.value_or(alpha) : alpha);
    q.own = config_.own(c).count();
    q.pool = static_cast<std::uint8_t>(pools_.of(c));
    q.xon = (of != nullptr ? of->xon.value_or(config_.xon) : config_.xon).count();
  }
}

}  // namespace horae::fabric
