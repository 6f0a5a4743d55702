// The ordering engines' factories and the check of their parameters.
#pragma once

#include "horae/policy/ordering/ordering.hpp"

namespace horae::policy {

/// InputError when the engine named by `config` cannot be built with it; ranges of single fields
/// are the schema's.
void check(const OrderingConfig& config);

std::unique_ptr<OrderingEngine> make_ideal_ordering(const OrderingConfig& config);
std::unique_ptr<OrderingEngine> make_static_ordering(const OrderingConfig& config);
std::unique_ptr<OrderingEngine> make_irn_ordering(const OrderingConfig& config);
std::unique_ptr<OrderingEngine> make_mp_rdma_ordering(const OrderingConfig& config);
std::unique_ptr<OrderingEngine> make_eunomia_ordering(const OrderingConfig& config);

}  // namespace horae::policy
