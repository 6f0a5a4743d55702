#include "horae/core/linear_hash.hpp"

namespace horae {

constinit const LinearHash::Parts LinearHash::parts_ = LinearHash::all_parts();

}  // namespace horae
