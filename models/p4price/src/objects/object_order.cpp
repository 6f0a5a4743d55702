// Order of a gress's objects, with the sentences that say why.
#include "object_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "gress_design.hpp"
#include "validity_bits.hpp"

namespace horae::p4price {
namespace {

using dataplane::DependencyKind;
using dataplane::DesignObject;

class Orderer {
 public:
  Orderer(const p4lang::Program& program, const p4lang::Block& control,
          const std::vector<Piece>& pieces, const std::vector<std::vector<std::string>>& objects,
          PipeDesign& out)
      : program_(program),
        control_(control),
        pieces_(pieces),
        objects_(objects),
        words_(control, pieces),
        out_(out) {}

  void run() {
    find_flags();
    order();
  }

  /// Keeps objects apart that set bits of one container, but those of which a packet meets one.
  void keep_apart(const ValidityBits& validity) {
    std::vector<std::set<std::string>> containers(pieces_.size());
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (pieces_[i].dead) continue;
      for (const std::uint32_t c : validity.containers(pieces_[i]))
        containers[i].insert(std::to_string(c));
      for (const Use* u : pieces_[i].writes()) {
        const auto flag = flags_.find(u->bits.field);
        if (flag != flags_.end()) containers[i].insert(flag->second);
      }
    }
    for (std::size_t b = 0; b < pieces_.size(); ++b) {
      if (objects_[b].empty() || containers[b].empty()) continue;
      const std::size_t later = waiting(objects_[b].front());
      auto& apart = out_.design.objects[later].apart;
      for (std::size_t a = 0; a < b; ++a) {
        const bool common = std::ranges::any_of(
            containers[a], [&](const auto& c) { return containers[b].contains(c); });
        if (!common || objects_[a].empty() || exclusive(pieces_[a], pieces_[b])) continue;
        const std::size_t first = waiting(objects_[a].front());
        const std::string& name = out_.design.objects[first].name;
        if (first != later && std::ranges::find(apart, name) == apart.end()) apart.push_back(name);
      }
    }
  }

 private:
  /// Fields of metadata smaller than a byte that one condition asks together lie in one container
  /// (*inferred*: three bits of a Bloom filter, set in three stages).
  void find_flags() {
    std::map<std::string, std::uint32_t> bits;  // of each field that is small wherever it is used
    for (const Piece& piece : pieces_) {
      if (piece.dead) continue;
      for (const auto& uses : {piece.crossbar(), piece.reads(), piece.writes()})
        for (const Use* u : uses)
          bits[u->bits.field] = std::max(bits[u->bits.field], u->bits.high + 1);
    }
    for (const Piece& piece : pieces_) {
      if (piece.dead || piece.kind != PieceKind::condition) continue;
      std::set<std::string> together;
      std::uint32_t sum = 0;
      for (const Use& u : piece.key_reads)
        if (bits[u.bits.field] < 8 && is_metadata(u.bits.field) &&
            together.insert(u.bits.field).second)
          sum += bits[u.bits.field];
      if (together.size() < 2 || sum > 8) continue;
      for (const auto& field : together) flags_.emplace(field, *together.begin());
    }
  }

  /// A variable of the control or of the user's metadata, its second parameter.
  bool is_metadata(const std::string& field) const {
    if (field.ends_with(validity())) return false;
    for (std::size_t i = 0; i < control_.parameters; ++i)
      if (i != 1 && overlap(field, control_.variables[i].name)) return false;
    return true;
  }

  Location where(const p4lang::Place& place) const { return location_of(program_, place); }

  std::size_t index_of(const std::string& name) const {
    const auto& all = out_.design.objects;
    return static_cast<std::size_t>(std::ranges::find(all, name, &DesignObject::name) -
                                    all.begin());
  }

  /// Whether `to` comes after `from`.
  bool reaches(std::size_t from, std::size_t to) const {
    std::vector<bool> seen(next_.size(), false);
    std::vector<std::size_t> open = {from};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (at == to) return true;
      for (const std::size_t n : next_[at]) {
        if (!seen[n]) open.push_back(n);
        seen[n] = true;
      }
    }
    return false;
  }

  /// Who an array belongs to waits in its place.
  std::size_t waiting(const std::string& name) const {
    const std::size_t own = index_of(name);
    const std::string host = host_table(out_.design.objects[own].spec);
    return host.empty() ? own : index_of(host);
  }

  /// Whether `to` now comes after `from`; not if it came before already.
  bool connect(std::size_t from, std::size_t to, DependencyKind kind) {
    if (from == to) return false;
    const dataplane::Dependency d{out_.design.objects[from].name, kind};
    auto& after = out_.design.objects[to].after;
    if (std::ranges::find(after, d) != after.end()) return false;
    const bool known = std::ranges::find(next_[from], to) != next_[from].end();
    if (!known && reaches(to, from)) {
      ++circles_;
      return false;
    }
    if (!known) next_[from].push_back(to);
    after.push_back(d);
    return true;
  }

  void order() {
    const auto& all = pieces_;
    const auto edges = edges_between(all, words_);
    next_.resize(out_.design.objects.size());
    // Control first, so that where accesses of one register make a circle the branches stay.
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].dead || all[i].path.empty() || objects_[i].empty()) continue;
      const auto [decides, arm] = all[i].path.back();
      if (objects_[decides].empty()) continue;
      guard(decides, arm, i);
    }
    for (const auto& e : edges) {
      for (const auto& from : objects_[e.from]) {
        for (const auto& to : objects_[e.to]) {
          const std::size_t a = waiting(from), b = waiting(to);
          if (!connect(a, b, e.kind)) continue;
          out_.links.push_back({out_.design.objects[a].name, out_.design.objects[b].name, e.kind,
                                e.field, where(e.written), where(e.needed)});
        }
      }
    }
    take_turns();
    if (circles_ > 0)
      out_.notes.push_back({"",
                            fmt::format("{} dependencies between accesses of one register dropped: "
                                        "they are in one stage",
                                        circles_),
                            {}});
  }

  /// Variables that the control sets to zero before anything else.
  std::set<std::string> zeroed_first() const {
    std::set<std::string> out;
    for (const auto& s : control_.body) {
      if (s.kind != p4lang::StmtKind::assign || s.value.kind != p4lang::ExprKind::constant) break;
      if (s.value.value == 0) out.insert(name_of(s.target, control_));
    }
    return out;
  }

  /// A result of a match table that fits in half a container, in a variable that is zero at first,
  /// takes the container of results before it in the program. Where no packet meets both, its table
  /// comes a stage behind their readers, as the zero is written in between (*inferred*: reports of
  /// 19 programs of synapse. Fields take turns in p4c phv/analysis/live_range_shrinking.cpp; which
  /// ones do is decided by what else has a container).
  void take_turns() {
    constexpr std::uint32_t half_container = 16;
    const auto zeroed = zeroed_first();
    std::vector<std::pair<std::size_t, Use>> results;
    for (std::size_t later = 0; later < pieces_.size(); ++later) {
      const Piece& table = pieces_[later];
      if (table.dead || table.kind != PieceKind::match || objects_[later].empty()) continue;
      std::vector<std::pair<std::size_t, Use>> own;
      for (const Use* u : table.writes())
        if (zeroed.contains(u->bits.field)) own.emplace_back(later, *u);
      const bool narrow = std::ranges::any_of(
          own, [&](const auto& r) { return r.second.bits.high < half_container; });
      for (const auto& [first, result] : results) {
        for (std::size_t i = 0; narrow && i < pieces_.size(); ++i) {
          if (pieces_[i].dead || objects_[i].empty() || !exclusive(pieces_[i], table)) continue;
          const Use* read = reads(pieces_[i], result.bits);
          if (read != nullptr) turn(i, *read, later, own.front().second);
        }
      }
      results.insert(results.end(), own.begin(), own.end());
    }
  }
  static const Use* reads(const Piece& piece, const Bits& bits) {
    for (const auto& uses : {piece.crossbar(), piece.reads()})
      for (const Use* u : uses)
        if (u->bits.meets(bits)) return u;
    return nullptr;
  }
  void turn(std::size_t reader, const Use& read, std::size_t table, const Use& result) {
    const std::size_t a = waiting(objects_[reader].front()), b = waiting(objects_[table].front());
    if (!connect(a, b, DependencyKind::action)) return;
    out_.links.push_back({out_.design.objects[a].name, out_.design.objects[b].name,
                          DependencyKind::action, read.bits.field, where(read.place),
                          where(result.place)});
  }

  void guard(std::size_t decides, std::uint32_t arm, std::size_t piece) {
    const std::size_t by = waiting(objects_[decides].front());
    for (const auto& name : objects_[piece]) {
      const std::size_t guarded = waiting(name);
      if (guarded == by) continue;
      DesignObject& decider = out_.design.objects[by];
      const std::string& other = out_.design.objects[guarded].name;
      const Link link{decider.name, other,         DependencyKind::control,
                      {},           decider.where, where(pieces_[piece].place)};
      auto* condition = std::get_if<dataplane::ConditionSpec>(&decider.spec);
      if (condition == nullptr) {
        if (connect(by, guarded, DependencyKind::control)) out_.links.push_back(link);
        continue;
      }
      if (std::ranges::find(condition->guards, other) != condition->guards.end()) {
        if (arm == 0) std::erase(condition->guards_not, other);  // it runs in either way
        continue;
      }
      if (reaches(guarded, by)) {
        ++circles_;
        continue;
      }
      next_[by].push_back(guarded);
      condition->guards.push_back(other);
      if (arm > 0) condition->guards_not.push_back(other);
      out_.links.push_back(link);
    }
  }

  const p4lang::Program& program_;
  const p4lang::Block& control_;
  const std::vector<Piece>& pieces_;
  const std::vector<std::vector<std::string>>& objects_;
  ContainerWords words_;
  PipeDesign& out_;
  std::vector<std::vector<std::size_t>> next_;  ///< of each object of the design, who comes after
  std::size_t circles_ = 0;
  std::map<std::string, std::string> flags_;  ///< small fields, and the container each is in
};

}  // namespace

void order_objects(const p4lang::Program& program, const p4lang::Block& control,
                   const std::vector<Piece>& pieces,
                   const std::vector<std::vector<std::string>>& objects,
                   const dataplane::ChipSpec& chip, PipeDesign& out) {
  Orderer orderer(program, control, pieces, objects, out);
  orderer.run();
  orderer.keep_apart(ValidityBits(control, pieces, chip));
}

}  // namespace horae::p4price
