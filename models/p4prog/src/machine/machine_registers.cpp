// Accesses of registers, and the actions that run on their cells.
#include "horae/core/error.hpp"
#include "horae/p4prog/machine.hpp"

namespace horae::p4prog {

using wide::low_mask;

namespace {

/// From this bit of an address on lies the number of a LearnAction's way (measured: the vendor's
/// programs take it from there).
constexpr unsigned way_bit = 23;

}  // namespace

void Machine::load_cell(const ExternCode& code, const RegisterObject& object, const Cell& cell) {
  word(code.cell) = cell.low;
  if (object.wide) word(code.cell + 1) = cell.high;
  if (object.pair) word(code.cell + code.second) = cell.high;
}

void Machine::store_cell(const ExternCode& code, const RegisterObject& object, Cell& cell) {
  cell.low = word(code.cell);
  if (object.wide) cell.high = word(code.cell + 1);
  if (object.pair) cell.high = word(code.cell + code.second);
}

/// A MinMaxAction sees the 128 bits of the RAM's row that its cells lie in.
void Machine::load_row(const ExternCode& code, RegisterObject& object, std::size_t first) {
  const std::uint32_t bits = object.cell_bits();
  for (std::uint32_t i = 0; i * bits < 128 && first + i < object.entries; ++i)
    wide::put(&word(code.cell), i * bits, bits, object.cells->read(first + i).low);
}

void Machine::store_row(const ExternCode& code, RegisterObject& object, std::size_t first,
                        Cell& cell) {
  const std::uint32_t bits = object.cell_bits();
  for (std::uint32_t i = 0; i * bits < 128 && first + i < object.entries; ++i) {
    const Cell to{wide::get(&word(code.cell), 2, i * bits, bits), 0};
    if (i == 0)
      cell = to;
    else
      object.cells->write(first + i, to);
  }
}

void Machine::without_cell(const ExternCode& code) {
  if (code.overflow == 0) return;
  for (const std::uint32_t output : code.other_outputs) word(output) = 0;
  run(code.overflow);
  for (std::size_t i = 0; i < code.outputs.size() && i < code.other_outputs.size(); ++i)
    word(code.outputs[i]) = word(code.other_outputs[i]);
}

void Machine::stateful(const ExternCode& code, RegisterObject& object, std::size_t index) {
  const bool row = code.cell_bits == 128 && !object.wide && !object.pair;
  const std::uint32_t bits = object.cell_bits();
  if (row) index *= 128 / bits;
  address_ = object.chained ? index - object.entries : index * bits;
  half_bits_ = bits / 2;
  if (index >= object.entries) {
    if (!object.chained) without_cell(code);
    return;
  }
  object.cells->apply(*pass_, index, [&](Cell& cell) {
    if (row)
      load_row(code, object, index);
    else
      load_cell(code, object, cell);
    run(code.entry);
    if (row)
      store_row(code, object, index, cell);
    else
      store_cell(code, object, cell);
  });
}

/// Runs the action on a way's cell; true if it wrote it.
bool Machine::try_way(const ExternCode& code, const RegisterObject& object, std::size_t cell,
                      std::uint32_t way, bool matched) {
  for (const std::uint32_t output : code.outputs) word(output) = 0;
  load_cell(code, object, object.cells->read(cell + way * (object.entries / learning_->ways)));
  address_ = std::uint64_t{way} << way_bit | cell * object.cell_bits();
  half_bits_ = object.cell_bits() / 2;
  word(code.matched) = matched ? 1 : 0;
  word(code.wrote) = 0;
  run(code.entry);
  return word(code.wrote) != 0;
}

/// The register is divided into ways. All compare their cell with the digest at once; one that
/// matches keeps the others from learning, else the first one that can learns.
void Machine::learn(const ExternCode& code, RegisterObject& object) {
  if (learning_ == nullptr)
    throw ModelError(pass_->describe() + ": a LearnAction without a table of dleft_hash keys");
  const std::size_t of_way = object.entries / learning_->ways;
  const std::size_t cell = (code.arguments.empty() ? 0 : word(code.arguments[0].word)) % of_way;
  const std::uint64_t digest = learning_->digest->value(string_of(learning_at_->packed_digest))
                               << 5;
  for (const bool matched : {true, false}) {
    for (std::uint32_t way = 0; way < learning_->ways; ++way) {
      word(code.digest) = digest & low_mask(code.digest_bits);
      if (!try_way(code, object, cell, way, matched)) continue;
      object.cells->apply(*pass_, cell + way * of_way,
                          [&](Cell& to) { store_cell(code, object, to); });
      return;
    }
  }
  object.cells->apply(*pass_, cell, [](Cell&) {});
}

/// All cells at once: how long the chip takes is not modelled.
void Machine::sweep(const ExternCode& code, RegisterObject& object) {
  for (std::size_t i = 1; i < object.entries; ++i) {
    Cell cell = object.cells->read(i);
    load_cell(code, object, cell);
    address_ = i * object.cell_bits();
    run(code.entry);
    store_cell(code, object, cell);
    object.cells->write(i, cell);
  }
  stateful(code, object, 0);
}

/// Which cell an access is of; none where there is no room, nothing to take, or no entry.
std::optional<std::uint64_t> Machine::cell_of(const ExternCode& code, RegisterObject& object) {
  switch (code.by) {
    case CellBy::index:
      return code.arguments.empty() ? 0 : word(code.arguments.front().word);
    case CellBy::entry:
      if (!has_entry_) return std::nullopt;
      return last_entry_;
    case CellBy::log:
      return object.put++ % object.total;
    case CellBy::enqueue:
      if (object.put - object.taken == object.total) return std::nullopt;
      return object.put++ % object.total;
    case CellBy::dequeue:
      if (object.put == object.taken) return std::nullopt;
      return object.taken++ % object.total;
    case CellBy::push:
      if (object.put == object.total) return std::nullopt;
      return object.put++;
    case CellBy::pop:
      if (object.put == 0) return std::nullopt;
      return --object.put;
    case CellBy::learn:
    case CellBy::sweep:
      break;
  }
  return std::nullopt;
}

void Machine::register_action(const ExternCode& code) {
  RegisterObject& object = objects_.register_of(code.object);
  if (code.by == CellBy::learn) {
    learn(code, object);
    return;
  }
  if (code.by == CellBy::sweep) {
    sweep(code, object);
    return;
  }
  for (const std::uint32_t output : code.outputs) word(output) = 0;
  if (const auto index = cell_of(code, object))
    stateful(code, object, *index);
  else
    without_cell(code);
}

}  // namespace horae::p4prog
