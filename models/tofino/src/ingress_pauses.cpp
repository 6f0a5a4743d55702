#include "horae/tofino/ingress_pauses.hpp"

namespace horae::tofino {

using fabric::DropCause;

std::optional<DropCause> IngressPauses::refusal(Account account, std::int64_t bytes) const {
  if (account == shared) {
    if (!accounts_.pool_has(bytes)) return DropCause::buffer_full;
  } else if (!accounts_.fits(static_cast<std::size_t>(account), bytes)) {
    return DropCause::headroom_full;
  }
  return std::nullopt;
}

void IngressPauses::add(Account account, std::int64_t bytes, Picoseconds t) {
  if (account == shared) return accounts_.take_of_pool(bytes);
  if (!accounts_.add(static_cast<std::size_t>(account), bytes)) return;
  ++sent_;
  tell(account, true, t);
}

void IngressPauses::remove(Account account, std::int64_t bytes, Picoseconds t) {
  if (account == shared) return accounts_.give_to_pool(bytes);
  if (accounts_.remove(static_cast<std::size_t>(account), bytes)) tell(account, false, t);
}

}  // namespace horae::tofino
