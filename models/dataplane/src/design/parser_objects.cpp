#include "horae/dataplane/design/parser_objects.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"

namespace horae::dataplane {
namespace {

constexpr std::uint32_t most_bits = 64;

/// The lower bits.
constexpr std::uint64_t ones(std::uint32_t bits) {
  return bits == most_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

/// Carries go round.
constexpr std::uint32_t folded(std::uint64_t sum) {
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint32_t>(sum);
}

constexpr std::uint16_t complement(std::uint16_t sum) {
  return static_cast<std::uint16_t>(~sum & 0xffff);
}

}  // namespace

std::string_view checksum_use_name(ChecksumUse use) {
  switch (use) {
    case ChecksumUse::verify:
      return "verify";
    case ChecksumUse::residual:
      return "residual";
    case ChecksumUse::update:
      return "update";
  }
  return "";
}

ParserObject::ParserObject(const Pipeline& pipeline, Gress gress, const std::string& name)
    : where_{pipeline.index(), gress}, name_(pipeline.name() + "." + name) {}

void ParserObject::check_use(const Pass& pass, std::uint64_t most) {
  if (!(pass.where() == where_)) {
    broken_rule(pass, fmt::format("used from outside the {} of pipeline {}",
                                  gress_name(where_.gress), where_.pipeline));
  }
  if (pass.serial() != last_pass_) uses_ = 0;
  last_pass_ = pass.serial();
  if (uses_ == most) broken_rule(pass, fmt::format("used more than {} times", most));
  ++uses_;
}

void ParserObject::broken_rule(const Pass& pass, const std::string& what) const {
  throw ModelError(fmt::format("{}: {} in {}", name_, what, pass.describe()));
}

ValueSet::ValueSet(Pipeline& pipeline, Gress gress, const std::string& name, ValueSetSpec spec)
    : ParserObject(pipeline, gress, name),
      capacity_(spec.entries),
      most_uses_(std::max<std::size_t>(1, spec.states.size())),
      all_bits_(ones(std::min(spec.key_bits, most_bits))) {
  if (spec.entries == 0 || spec.key_bits == 0 || spec.key_bits > most_bits) {
    throw ModelError(
        fmt::format("{}: {} entries of {} bits; expected one at least, of 1 to {} bits",
                    this->name(), spec.entries, spec.key_bits, most_bits));
  }
  spec.name = name;
  spec.gress = gress;
  pipeline.add(std::move(spec));
}

ValueSet::Value ValueSet::checked(std::uint64_t value, std::uint64_t mask) const {
  if ((value | mask) > all_bits_) {
    throw ModelError(fmt::format("{}: value {:#x} with mask {:#x} is wider than the key's {:#x}",
                                 name(), value, mask, all_bits_));
  }
  return {value & mask, mask};
}

void ValueSet::add(std::uint64_t value, std::uint64_t mask) {
  const Value added = checked(value, mask);
  if (std::ranges::find(values_, added) != values_.end()) {
    throw ModelError(
        fmt::format("{}: value {:#x} with mask {:#x} is there already", name(), value, mask));
  }
  if (values_.size() == capacity_) throw ModelError(name() + ": full");
  values_.push_back(added);
}

void ValueSet::remove(std::uint64_t value, std::uint64_t mask) {
  const auto found = std::ranges::find(values_, checked(value, mask));
  if (found == values_.end()) {
    throw ModelError(fmt::format("{}: no value {:#x} with mask {:#x}", name(), value, mask));
  }
  values_.erase(found);
}

bool ValueSet::holds(const Pass& pass, std::uint64_t key) {
  check_use(pass, most_uses_);
  if (key > all_bits_) {
    broken_rule(pass, fmt::format("key {:#x} is wider than {:#x}", key, all_bits_));
  }
  return std::ranges::any_of(values_, [&](const Value& v) { return (key & v.mask) == v.value; });
}

Checksum::Checksum(Pipeline& pipeline, Gress gress, const std::string& name, ChecksumSpec spec)
    : ParserObject(pipeline, gress, name), spec_(std::move(spec)) {
  const auto bad = [](std::uint32_t bits) { return bits == 0 || bits > most_bits; };
  if (spec_.over.empty() || spec_.over.size() != spec_.bits.size() ||
      std::ranges::any_of(spec_.bits, bad)) {
    throw ModelError(
        fmt::format("{}: {} fields with {} widths; expected a width of 1 to {} bits "
                    "for each of one field at least",
                    this->name(), spec_.over.size(), spec_.bits.size(), most_bits));
  }
  spec_.name = name;
  spec_.gress = gress;
  pipeline.add(spec_);
}

std::uint16_t Checksum::sum(const Pass& pass, ChecksumUse use,
                            std::span<const std::uint64_t> values) {
  check_use(pass, 1);
  if (spec_.use != use) {
    broken_rule(pass, fmt::format("used to {}, declared to {}", checksum_use_name(use),
                                  checksum_use_name(spec_.use)));
  }
  if (values.size() != spec_.bits.size()) {
    broken_rule(pass, fmt::format("{} values for {} fields", values.size(), spec_.bits.size()));
  }
  std::uint64_t total = 0, word = 0;
  std::uint32_t in_word = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint32_t left = spec_.bits[i];
    if (values[i] > ones(left)) {
      broken_rule(pass,
                  fmt::format("{} = {:#x} is wider than {} bits", spec_.over[i], values[i], left));
    }
    while (left > 0) {
      const std::uint32_t taken = std::min(left, 16 - in_word);
      left -= taken;
      word = word << taken | (values[i] >> left & ones(taken));
      in_word += taken;
      if (in_word < 16) continue;
      total += word;
      word = in_word = 0;
    }
  }
  total += word << (16 - in_word) & 0xffff;
  return static_cast<std::uint16_t>(folded(total));
}

bool Checksum::right(const Pass& pass, std::span<const std::uint64_t> values) {
  return sum(pass, ChecksumUse::verify, values) == 0xffff;
}

std::uint16_t Checksum::rest(const Pass& pass, std::uint16_t received,
                             std::span<const std::uint64_t> values) {
  const std::uint16_t fields = sum(pass, ChecksumUse::residual, values);
  return static_cast<std::uint16_t>(
      folded(std::uint64_t{complement(received)} + complement(fields)));
}

std::uint16_t Checksum::of(const Pass& pass, std::span<const std::uint64_t> values) {
  const std::uint16_t checksum = complement(sum(pass, ChecksumUse::update, values));
  return checksum == 0 && spec_.zeros_as_ones ? std::uint16_t{0xffff} : checksum;
}

}  // namespace horae::dataplane
