#include "horae/rnic/parts/queue_pair_table.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::rnic {

QueuePair& QueuePairTable::add(std::unique_ptr<QueuePair> qp) {
  if (qps_.size() == most) throw ModelError(fmt::format("{}: too many queue pairs", owner_));
  qp->work_counted = qp->has_source() && !qp->finished();
  if (qp->work_counted) ++unfinished_;
  qps_.push_back(std::move(qp));
  return *qps_.back();
}

}  // namespace horae::rnic
