// Our figures beside those that others published.
#pragma once

#include <optional>
#include <string>

#include "horae/config/platform.hpp"
#include "horae/dataplane/price/ledger.hpp"
#include "horae/size/size.hpp"

namespace horae::size {

/// Ours of a quantity: a resource of an object or of the whole design, stages, cycles.
std::optional<double> quantity_of(const dataplane::Ledger& ledger, const std::string& object,
                                  const std::string& quantity);

/// A published figure beside ours. InputError for a quantity that is none.
Comparison compare_with(const config::PublishedSizeSpec& published, const SizedDesign& design);

}  // namespace horae::size
