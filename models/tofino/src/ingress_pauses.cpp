#include "horae/tofino/ingress_pauses.hpp"

namespace horae::tofino {

using fabric::DropCause;

std::optional<DropCause> IngressPauses::refusal(Account account, std::int64_t bytes) const {
  if (is_shared(account)) {
    const unsigned pool = pool_of(account);
    const bool has = is_lossy(account) ? accounts_.pool_has_of_lossy(bytes, pool)
                                       : accounts_.pool_has(bytes, pool);
    if (!has) return DropCause::buffer_full;
  } else if (!accounts_.fits(static_cast<std::size_t>(account), bytes)) {
    return DropCause::headroom_full;
  }
  return std::nullopt;
}

void IngressPauses::add(Account account, std::int64_t bytes, Picoseconds t) {
  if (is_shared(account)) return accounts_.take_of_pool(bytes, pool_of(account));
  if (!accounts_.add(static_cast<std::size_t>(account), bytes)) return;
  ++sent_;
  tell(account, true, t);
}

void IngressPauses::remove(Account account, std::int64_t bytes, Picoseconds t) {
  if (is_shared(account)) return accounts_.give_to_pool(bytes, pool_of(account));
  if (accounts_.remove(static_cast<std::size_t>(account), bytes)) tell(account, false, t);
}

}  // namespace horae::tofino
