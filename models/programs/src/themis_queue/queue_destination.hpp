// NACK validation by a queue of PSNs at the receivers' ToR, in egress (internal to the room).
#pragma once

#include <cstdint>

#include "horae/dataplane/action.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/mirror.hpp"
#include "horae/programs/themis_queue/themis_queue.hpp"
#include "psn_ring.hpp"
#include "themis/parts.hpp"
#include "themis/queue_pairs.hpp"

namespace horae::programs::themis_queue {

/// "Dequeues entries from the PSN queue until it finds the first PSN larger than the ePSN": that is
/// the packet which triggered the NACK, and the NACK is valid if it took the path of the expected
/// one. A pipeline has no loop: a pass looks at as many entries as there are arrays, and a NACK
/// that is not decided goes once more through the egress of its port as a mirrored copy. One more
/// pass moves the head of the queue and lets the NACK go on, or drops it.
class QueueDestination {
 public:
  QueueDestination(dataplane::Pipeline& pipeline, const ThemisQueueConfig& config);

  void connect(const Connection& connection) { qps_.add(connection); }
  void egress(dataplane::PassKind auto& pass);

  struct Counts {  // statistics of the model, not state of the program
    std::uint64_t valid = 0;
    std::uint64_t invalid = 0;      ///< another path triggered it
    std::uint64_t untriggered = 0;  ///< no larger PSN in the queue
    std::uint64_t looks = 0;        ///< passes that searched
  };
  const Counts& counts() const { return counts_; }

 private:
  static constexpr auto out = dataplane::Gress::egress;
  void search(dataplane::PassKind auto& pass, std::uint32_t qp, bool begins);
  void end(dataplane::PassKind auto& pass, std::uint32_t qp);
  void go_on(dataplane::PassKind auto& pass);

  ThemisQueueConfig config_;
  dataplane::Gateway is_copy_;
  themis::IsData is_data_;
  dataplane::Gateway is_response_;
  dataplane::Gateway searches_;
  dataplane::Gateway begins_;
  dataplane::Gateway ends_;
  themis::QueuePairs qps_;
  PsnRing ring_;
  themis::AllFlags undecided_;
  dataplane::Gateway same_path_;
  dataplane::Mirror again_;
  dataplane::Mirror decide_;
  dataplane::Gateway is_valid_;
  dataplane::Gateway came_back_;
  dataplane::Mirror send_on_;
  dataplane::Action drop_;
  Counts counts_;
};

}  // namespace horae::programs::themis_queue
