#include "horae/rnic/spec/class_config.hpp"

namespace horae::rnic {

const Schema<ClassConfig>& ClassConfig::schema() {
  using T = ClassConfig;
  static const Schema<T> s =
      Schema<T>("class", "A traffic class of the data that a NIC sends.")
          .required("number", &T::number, {.doc = "number of the traffic class", .max = 7})
          .field("priority", &T::priority,
                 {.doc = "may send before all classes of lower priority; classes of one priority "
                         "share by weight. Absent: its number",
                  .max = 7,
                  .source = "IEEE 802.1Qaz: strict priority and enhanced transmission selection"})
          .field("weight", &T::weight,
                 {.doc = "share among classes of one priority, of bytes on the wire; what one does "
                         "not use is the others'",
                  .min = 1,
                  .max = 100,
                  .source = "IEEE 802.1Qaz: bandwidth of a class in percent, `mlnx_qos --tcbw`"});
  return s;
}

}  // namespace horae::rnic
