// No ordering layer.
#include "horae/policy/ordering/ordering.hpp"

namespace horae::policy {

OrderingEntry none_ordering() {
  return {.name = "none",
          .doc = "no ordering layer: the transport's own receiver",
          .make = nullptr,
          .headers = {}};
}

}  // namespace horae::policy
