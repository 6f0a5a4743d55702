#include "horae/fabric/class_config.hpp"

#include <fmt/format.h>

#include <set>

namespace horae::fabric {

const Schema<ClassConfig>& ClassConfig::schema() {
  using T = ClassConfig;
  static const Schema<T> s =
      Schema<T>("class", "Queues of a traffic class, one at each egress port.")
          .required("number", &T::number, {.doc = "number of the traffic class", .max = 7})
          .field("priority", &T::priority,
                 {.doc = "served before all classes of lower priority; classes of one priority "
                         "share by deficit round robin. Absent: its number",
                  .max = 7,
                  .source = "Shreedhar and Varghese, IEEE/ACM ToN 4(3), 1996; queues of a Tofino "
                            "have a priority and a weight: open-p4studio bf_tm_sched_q_*"})
          .field("weight", &T::weight,
                 {.doc = "share among classes of one priority, of bytes on the wire; 2 KiB a turn "
                         "for each",
                  .min = 1,
                  .max = 1023,
                  .source = "range: open-p4studio bf_tm_sched_q_dwrr_weight_set"})
          .field("rate", &T::rate,
                 {.doc = "the most that the class may send by a port, of bytes on the wire; 0: no "
                         "shaper",
                  .min = BitRate(0),
                  .max = 800_Gbps,
                  .source = "open-p4studio bf_tm_sched_q_shaping_rate_set"})
          .field("burst", &T::burst,
                 {.doc = "its shaper lets a packet go while less than so much is ahead of the "
                         "rate, bytes "
                         "on the wire",
                  .min = 64_B,
                  .source = "16384: open-p4studio BF_TM_Q_SCH_BURST_SIZE"})
          .field("limit", &T::limit,
                 {.doc = "drop-tail limit of each of its queues, beside queue_limit; 0: none",
                  .min = 0_B,
                  .source = "buffer profiles of SONiC have a static_th for each queue"})
          .field(
              "share", &T::share,
              {.doc = "dynamic limit of each of its queues: share x free part of the buffer; 0: "
                      "none",
               .min = 0.0,
               .max = 256.0,
               .source = "Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998; a burst absorption factor "
                         "of open-p4studio bf_tm_q_app_pool_usage_set is share / (1 + share): 80 "
                         "% is 4, 1.5 % is 1/64"})
          .field("minimum", &T::minimum,
                 {.doc = "bytes that each of its queues may hold whatever share says", .min = 0_B});
  return s;
}

void check_classes(const std::vector<ClassConfig>& classes, const Section& section) {
  const auto tables = section.children("class");
  std::set<std::uint32_t> numbers;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const ClassConfig& c = classes[i];
    if (!numbers.insert(c.number).second)
      throw tables[i].error("number", fmt::format("class {} has two tables", c.number));
    if (c.minimum.count() > 0 && c.share == 0)
      throw tables[i].error("minimum", "minimum is beside a share; expected a 'share'");
    if (tables[i].has("burst") && c.rate.count() == 0)
      throw tables[i].error("burst", "burst is of a shaper; expected a 'rate' beside it");
  }
}

}  // namespace horae::fabric
