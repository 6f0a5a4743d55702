// Gateways: which conditions the hardware has, and what they cost.
//
// A gateway compares four bytes on its search bus and twelve bits more through the hash bus (open
// Tofino compiler, specs/device.cpp GatewaySpec; its error text says the same). The rules here are
// those limits applied to each kind of comparison; they agree with every condition the compiler was
// asked for in tb/validate/compiler/gateways.toml.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "horae/dataplane/price/price.hpp"

namespace horae::dataplane {
namespace {

std::uint32_t bytes_for(std::uint32_t bits) { return (bits + 7) / 8; }

/// Bytes of a `bits` wide field that hold a bit at or above `low`.
std::uint32_t bytes_above(std::uint32_t bits, std::uint32_t low) {
  return bytes_for(bits) - std::min(bytes_for(bits), low / 8);
}

struct BitsNeeded {
  std::uint32_t search_bytes = 0;  ///< compared with constants or with another field
  std::uint32_t hash_bits = 0;     ///< must go through the hash bus
  std::uint32_t crossbar_bytes = 0;
};

/// Bytes beyond the search bus go through the hash bus.
bool fits(const BitsNeeded& need, const GatewaySpec& gateway, std::uint32_t& hash_bits) {
  const std::uint32_t over =
      need.search_bytes > gateway.search_bytes ? (need.search_bytes - gateway.search_bytes) * 8 : 0;
  hash_bits = need.hash_bits + over;
  return hash_bits <= gateway.hash_bits;
}

}  // namespace

GatewayPrice price_condition(const ConditionSpec& spec, const ChipSpec& chip) {
  const GatewaySpec& gateway = chip.gateway;
  const std::uint32_t bytes = bytes_for(spec.bits);
  const std::string limit = fmt::format("a gateway compares {} bytes and {} bits",
                                        gateway.search_bytes, gateway.hash_bits);
  GatewayPrice price;

  const auto one_gateway = [&](const BitsNeeded& need) {
    std::uint32_t hash_bits = 0;
    if (!fits(need, gateway, hash_bits)) return false;
    price.gateways = 1;
    price.crossbar_bytes = need.crossbar_bytes;
    price.hash_bits = hash_bits;
    return true;
  };
  // As many gateways as it takes, each with whole terms: only where one true (or false) term
  // decides, so that the gateways can stand one after the other.
  const auto in_turn = [&](std::uint32_t bytes_per_term) {
    const std::uint32_t terms_each = gateway.search_bytes / bytes_per_term;
    if (terms_each == 0) return false;
    price.gateways = (spec.terms + terms_each - 1) / terms_each;
    price.crossbar_bytes = spec.terms * bytes_per_term;
    price.hash_bits = 0;
    return true;
  };
  const auto refuse = [&](std::string why, std::string rewrite) {
    price = {};
    price.refused = std::move(why);
    price.rewrite = std::move(rewrite);
  };

  switch (spec.kind) {
    case ConditionKind::eq:
    case ConditionKind::ne: {
      const bool may_split =
          spec.terms > 1 && (spec.kind == ConditionKind::eq) == (spec.join == Join::any);
      const std::uint32_t all = spec.terms * bytes;
      if (may_split ? all <= gateway.search_bytes : true) {
        if (one_gateway({all, 0, all})) break;
      }
      if (may_split && in_turn(bytes)) break;
      refuse(fmt::format("{} bytes compared at once; {}", all, limit),
             spec.terms > 1 ? "one condition per term, the next one guarded by the one before, or "
                              "a match table on the fields"
                            : "a match table on the field");
      break;
    }
    case ConditionKind::bit: {
      if (one_gateway({spec.terms, 0, spec.terms})) break;
      refuse(fmt::format("{} bytes compared at once; {}", spec.terms, limit),
             "one condition per term, the next one guarded by the one before");
      break;
    }
    case ConditionKind::valid: {
      const std::uint32_t all = bytes_for(spec.terms);
      if (one_gateway({all, 0, all})) break;
      refuse(fmt::format("{} bytes compared at once; {}", all, limit), "fewer headers at once");
      break;
    }
    case ConditionKind::lt: {
      const bool power = std::has_single_bit(spec.constant);
      // Below a power of two: the bits above it are all zero. Small fields take the range match of
      // the hash bus with any constant.
      if (spec.bits <= 8 || !power) {
        if (one_gateway({0, spec.terms * spec.bits, spec.terms * bytes})) break;
        refuse(fmt::format("{} bits compared with a range; {}", spec.terms * spec.bits, limit),
               spec.terms > 1
                   ? "one condition per term, the next one guarded by the one before"
                   : "a power of two as the constant, or subtract the constant in an action of its "
                     "own and test the sign bit (kind = \"bit\")");
        break;
      }
      const std::uint32_t above =
          bytes_above(spec.bits, static_cast<std::uint32_t>(std::bit_width(spec.constant)) - 1);
      const std::uint32_t all = spec.terms * above;
      if (one_gateway({all, 0, all})) break;
      refuse(fmt::format("{} bytes compared at once; {}", all, limit),
             "one condition per term, the next one guarded by the one before");
      break;
    }
    case ConditionKind::field_eq: {
      // One operand on the search bus, the other beside it. The terms are taken as a chain (a == b
      // and b == c), as in the measured programs.
      const std::uint32_t compared = spec.terms * bytes;
      if (compared <= gateway.search_bytes) {
        price.gateways = 1;
        price.crossbar_bytes = (spec.terms + 1) * bytes;
        break;
      }
      refuse(fmt::format("{} bytes compared with fields; {}", compared, limit),
             "one condition per term, the next one guarded by the one before, or subtract in an "
             "action of its own and test for zero (kind = \"eq\")");
      break;
    }
    case ConditionKind::field_lt:
      refuse("one operand of < must be constant",
             "subtract in an action of its own and test the sign bit (kind = \"bit\")");
      break;
    case ConditionKind::subtract_sign:
      if (spec.bits <= 16 && spec.terms == 1) {
        price.gateways = 1;
        price.crossbar_bytes = 1;
        price.subtracts_first = true;
        break;
      }
      refuse("a difference of this width is too complex inside a condition",
             "subtract in an action of its own and test the sign bit (kind = \"bit\")");
      break;
  }
  return price;
}

}  // namespace horae::dataplane
