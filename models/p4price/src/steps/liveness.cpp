// Work that nobody sees, taken away as the open compiler's dead code elimination does (p4c
// backends/tofino/bf-p4c: ElimUnused, RemoveMetadataInits).
#include <algorithm>
#include <map>
#include <set>

#include "pieces.hpp"

namespace horae::p4price {

using p4lang::Callee;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Stmt;
using p4lang::StmtKind;

namespace {

using Path = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

bool is_prefix(const Path& shorter, const Path& longer) {
  return shorter.size() <= longer.size() &&
         std::equal(shorter.begin(), shorter.end(), longer.begin());
}

/// Who reads and who surely writes each field, in the order of the program.
struct Accesses {
  struct At {
    std::size_t piece;
    Bits bits;
    bool surely = true;  ///< of a write: whenever the piece runs
  };
  std::map<std::string, std::vector<At>> reads, writes;

  explicit Accesses(const std::vector<Piece>& pieces) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Piece& p = pieces[i];
      if (p.dead) continue;
      for (const Use* u : p.crossbar()) reads[u->bits.field].push_back({i, u->bits});
      for (const Use* u : p.reads()) reads[u->bits.field].push_back({i, u->bits});
      for (const Use* u : p.writes())
        writes[u->bits.field].push_back(
            {i, u->bits, p.actions.size() == 1 && p.kind == PieceKind::keyless});
    }
  }
};

class Observers {
 public:
  Observers(const std::vector<Piece>& pieces, const std::vector<std::string>& live)
      : pieces_(pieces), accesses_(pieces), live_(live) {}

  /// Whether anybody sees these bits as the piece leaves them.
  bool seen(std::size_t piece, const Bits& bits) const {
    const bool at_end = std::ranges::any_of(
        live_, [&](const std::string& name) { return overlap(name, bits.field); });
    if (at_end && !overwritten(piece, pieces_.size(), bits, pieces_[piece].path)) return true;
    const auto readers = accesses_.reads.find(bits.field);
    if (readers == accesses_.reads.end()) return false;
    return std::ranges::any_of(readers->second, [&](const auto& r) {
      return r.piece > piece && r.bits.meets(bits) &&
             !exclusive(pieces_[piece], pieces_[r.piece]) &&
             !overwritten(piece, r.piece, bits, pieces_[r.piece].path);
    });
  }
  /// Whether the bits are as they were at first when the piece runs.
  bool untouched(std::size_t piece, const Bits& bits) const {
    const auto writers = accesses_.writes.find(bits.field);
    if (writers == accesses_.writes.end()) return true;
    return std::ranges::none_of(writers->second, [&](const auto& w) {
      return w.piece < piece && w.bits.meets(bits) && !exclusive(pieces_[piece], pieces_[w.piece]);
    });
  }

 private:
  bool overwritten(std::size_t piece, std::size_t reader, const Bits& bits,
                   const Path& reader_path) const {
    const auto writers = accesses_.writes.find(bits.field);
    if (writers == accesses_.writes.end()) return false;
    return std::ranges::any_of(writers->second, [&](const auto& w) {
      return w.piece > piece && w.piece < reader && w.surely && w.bits.low <= bits.low &&
             w.bits.high >= bits.high &&
             (is_prefix(pieces_[w.piece].path, pieces_[piece].path) ||
              is_prefix(pieces_[w.piece].path, reader_path));
    });
  }

  const std::vector<Piece>& pieces_;
  Accesses accesses_;
  const std::vector<std::string>& live_;
};

bool keeps_call(const Expr& e, const p4lang::Program& program) {
  if (e.kind == ExprKind::call && e.callee == Callee::extern_method) {
    const std::string& type = program.externs.at(e.index).type->name;
    return type != "Hash" && type != "Random";
  }
  return std::ranges::any_of(e.operands,
                             [&](const Expr& part) { return keeps_call(part, program); });
}

const Expr* stateful_call(const Expr& e, const p4lang::Program& program) {
  if (e.kind == ExprKind::call && e.callee == Callee::extern_method && keeps_call(e, program))
    return &e;
  for (const Expr& part : e.operands)
    if (const Expr* found = stateful_call(part, program)) return found;
  return nullptr;
}

}  // namespace

bool Pieces::drop_once(const std::vector<std::string>& live,
                       const std::function<bool(const std::string&)>& zeroed) {
  const Observers observers(pieces_, live);
  bool changed = false;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    Piece& piece = pieces_[i];
    if (piece.dead || piece.kind == PieceKind::condition) continue;
    for (auto& action : piece.actions) {
      bool here = false;
      std::vector<Stmt> kept;
      for (std::size_t k = 0; k < action.statements.size(); ++k) {
        Stmt& s = action.statements[k];
        if (s.kind != StmtKind::assign) {
          kept.push_back(std::move(s));
          continue;
        }
        const auto bits = bits_of_lvalue(s.target, block_);
        const auto own_use = [&](const Bits& b) {  // by a later statement of the action
          for (std::size_t n = k + 1; n < action.statements.size(); ++n) {
            std::vector<Use> reads;
            collect_reads(action.statements[n].value, reads);
            if (std::ranges::any_of(reads, [&](const Use& u) { return u.bits.meets(b); }))
              return std::ranges::none_of(action.externs, [&](const ExternUse& e) {
                return e.index == ExternUse::Index::hash && e.type != "Hash";
              });
          }
          return false;
        };
        const bool seen = bits.empty() || std::ranges::any_of(bits, [&](const Bits& b) {
                            return observers.seen(i, b) || own_use(b);
                          });
        const bool zero = s.value.kind == ExprKind::constant && s.value.value == 0 &&
                          !bits.empty() && std::ranges::all_of(bits, [&](const Bits& b) {
                            return zeroed(b.field) && observers.untouched(i, b) &&
                                   std::ranges::none_of(kept, [&](const Stmt& earlier) {
                                     if (earlier.kind != StmtKind::assign) return false;
                                     const auto written = bits_of_lvalue(earlier.target, block_);
                                     return std::ranges::any_of(
                                         written, [&](const Bits& w) { return w.meets(b); });
                                   });
                          });
        if (seen && !zero) {
          kept.push_back(std::move(s));
          continue;
        }
        here = true;
        if (const Expr* call = stateful_call(s.value, program_)) {
          Stmt only;
          only.kind = StmtKind::call;
          only.place = s.place;
          only.value = Expr(*call);
          kept.push_back(std::move(only));
        }
      }
      action.statements = std::move(kept);
      if (here) find_effects(action);
      changed |= here;
    }
  }
  return changed;
}

void Pieces::drop_dead(const std::vector<std::string>& live,
                       const std::function<bool(const std::string&)>& zeroed) {
  for (bool again = true; again;) {
    again = drop_once(live, zeroed);
    for (auto& piece : pieces_) {
      if (piece.dead || piece.kind != PieceKind::keyless) continue;
      const bool works = std::ranges::any_of(piece.actions, [](const PieceAction& a) {
        return !a.writes.empty() || std::ranges::any_of(a.externs, [](const ExternUse& e) {
          return e.type != "Hash" && e.type != "Random";
        });
      });
      const auto own = static_cast<std::uint32_t>(&piece - pieces_.data());
      const bool decides = std::ranges::any_of(pieces_, [&](const Piece& p) {
        return !p.dead &&
               std::ranges::any_of(p.path, [&](const auto& s) { return s.first == own; });
      });
      if (!works && !decides) again = piece.dead = true;
    }
    for (std::size_t i = pieces_.size(); i-- > 0;) {
      Piece& piece = pieces_[i];
      if (piece.dead || piece.kind != PieceKind::condition) continue;
      const bool used = std::ranges::any_of(pieces_, [&](const Piece& p) {
        return !p.dead && std::ranges::any_of(p.path, [&](const auto& s) { return s.first == i; });
      });
      if (!used) again = piece.dead = true;
    }
  }
}

}  // namespace horae::p4price
