#include "horae/dataplane/place/field_order.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

namespace horae::dataplane {

NamedFields fields_of(const DesignObject& object) {
  NamedFields out;
  std::visit(
      [&](const auto& s) {
        if constexpr (requires { s.reads; }) out.reads = {s.reads.begin(), s.reads.end()};
        if constexpr (requires { s.writes; }) {
          for (const auto& of_action : s.writes) {  // of a table: several, between blanks
            std::istringstream words(of_action);
            for (std::string field; words >> field;) out.writes.insert(field);
          }
        }
      },
      object.spec);
  out.writes.insert(object.sets.begin(), object.sets.end());
  out.uses.insert(object.uses.begin(), object.uses.end());
  return out;
}

namespace {

using ObjectNames = std::set<std::string>;

class OrderFinder {
 public:
  explicit OrderFinder(const Design& design) : design_(design), n_(design.objects.size()) {
    for (std::size_t i = 0; i < n_; ++i) {
      index_[design.objects[i].name] = i;
      fields_.push_back(fields_of(design.objects[i]));
    }
    for (std::size_t i = 0; i < n_; ++i) {
      const auto table = index_.find(host_table(design.objects[i].spec));
      at_.push_back(table == index_.end() ? i : table->second);
    }
    collect();
  }

  std::vector<FieldOrder> run() {
    std::vector<std::size_t> program(n_);
    std::iota(program.begin(), program.end(), std::size_t{0});
    std::stable_sort(program.begin(), program.end(), [&](std::size_t a, std::size_t b) {
      return design_.objects[a].where.line < design_.objects[b].where.line;
    });
    std::vector<FieldOrder> out;
    for (std::size_t at = 0; at < n_; ++at) {
      // The nearest first: what comes after it comes after those before it, mostly.
      for (std::size_t back = at; back-- > 0;) compare(program[back], program[at], out);
    }
    return out;
  }

 private:
  struct Edge {
    std::size_t from;
    bool later;
  };
  /// Answers of conditions with which an object runs.
  using Way = std::map<std::size_t, bool>;

  void collect() {
    into_.resize(n_);
    guards_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (const auto& d : design_.objects[i].after) {
        const auto from = index_.find(d.on);
        if (from != index_.end()) into_[i].push_back({from->second, needs_later_stage(d.kind)});
      }
      const auto* condition = std::get_if<ConditionSpec>(&design_.objects[i].spec);
      if (condition == nullptr) continue;
      // A name that stands in `guards` more often runs in either case.
      std::multiset<std::string> otherwise(condition->guards_not.begin(),
                                           condition->guards_not.end());
      for (const auto& name : condition->guards) {
        const auto to = index_.find(name);
        if (to == index_.end()) continue;
        into_[to->second].push_back({i, false});
        const auto not_held = otherwise.find(name);
        guards_[to->second].push_back({i, not_held == otherwise.end()});
        if (not_held != otherwise.end()) otherwise.erase(not_held);
      }
    }
  }

  /// Whether `b` comes after `a`, in a later stage if so asked.
  bool after(std::size_t a, std::size_t b, bool later) const {
    std::set<std::pair<std::size_t, bool>> seen;
    std::vector<std::pair<std::size_t, bool>> left = {{b, false}};
    while (!left.empty()) {
      const auto [at, strict] = left.back();
      left.pop_back();
      if (at == a && (strict || !later)) return true;
      for (const Edge& e : into_[at]) {
        const std::pair next(e.from, strict || e.later);
        if (seen.insert(next).second) left.push_back(next);
      }
    }
    return false;
  }

  /// The ways to an object: one for each of its guards and each way to that one. Too many are as
  /// if nothing guarded it.
  std::vector<Way> ways_to(std::size_t object) const {
    constexpr std::size_t most = 64;
    if (guards_[object].empty()) return {{}};
    std::vector<Way> out;
    for (const auto& [condition, holds] : guards_[object]) {
      for (Way way : ways_to(condition)) {
        const auto known = way.emplace(condition, holds).first;
        if (known->second != holds) continue;
        out.push_back(std::move(way));
        if (out.size() > most) return {{}};
      }
    }
    return out;
  }
  bool exclude_each_other(std::size_t a, std::size_t b) const {
    const auto conflict = [](const Way& x, const Way& y) {
      return std::ranges::any_of(x, [&](const auto& answer) {
        const auto other = y.find(answer.first);
        return other != y.end() && other->second != answer.second;
      });
    };
    const auto of_b = ways_to(b);
    return std::ranges::all_of(ways_to(a), [&](const Way& x) {
      return std::ranges::all_of(of_b, [&](const Way& y) { return conflict(x, y); });
    });
  }

  void compare(std::size_t a, std::size_t b, std::vector<FieldOrder>& out) {
    if (design_.objects[a].gress != design_.objects[b].gress || at_[a] == at_[b]) return;
    const auto common = [](const ObjectNames& x, const ObjectNames& y) -> const std::string* {
      const auto at = std::ranges::find_if(x, [&](const auto& f) { return y.contains(f); });
      return at == x.end() ? nullptr : &*at;
    };
    if (const auto* field = common(fields_[a].writes, fields_[b].reads))
      add(a, b, DependencyKind::match, *field, out);
    else if (const auto* used = common(fields_[a].writes, fields_[b].uses))
      add(a, b, DependencyKind::read_after_write, *used, out);
    else if (const auto* both = common(fields_[a].writes, fields_[b].writes))
      add(a, b, DependencyKind::action, *both, out);
    else if (const auto* old = common(fields_[a].reads, fields_[b].writes))
      add(a, b, DependencyKind::anti, *old, out);
    else if (const auto* source = common(fields_[a].uses, fields_[b].writes))
      add(a, b, DependencyKind::anti, *source, out);
  }

  /// A part of a table is where the table is: that one waits, and is waited for.
  void add(std::size_t a, std::size_t b, DependencyKind kind, const std::string& field,
           std::vector<FieldOrder>& out) {
    a = at_[a];
    b = at_[b];
    if (after(a, b, needs_later_stage(kind)) || exclude_each_other(a, b)) return;
    out.push_back({design_.objects[b].name, design_.objects[a].name, kind, field});
  }

  const Design& design_;
  std::size_t n_;
  std::map<std::string, std::size_t> index_;
  std::vector<std::size_t> at_;  ///< the table that each belongs to, else itself
  std::vector<NamedFields> fields_;
  std::vector<std::vector<Edge>> into_;
  std::vector<std::vector<std::pair<std::size_t, bool>>> guards_;
};

}  // namespace

std::vector<FieldOrder> undeclared_orders(const Design& design) {
  return OrderFinder(design).run();
}

void declare(Design& design, const std::vector<FieldOrder>& orders) {
  for (const auto& order : orders) {
    for (auto& object : design.objects) {
      const Dependency d{order.on, order.kind};
      if (object.name == order.object && std::ranges::find(object.after, d) == object.after.end())
        object.after.push_back(d);
    }
  }
}

}  // namespace horae::dataplane
