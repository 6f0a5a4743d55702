#include "horae/dataplane/objects/stateful_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "horae/core/error.hpp"

namespace horae::dataplane::stateful {
namespace {

thread_local Exploration* current = nullptr;

Exploration& exploration() {
  if (current == nullptr) throw ModelError("a word of a stateful action outside its exploration");
  return *current;
}

}  // namespace

Word::Word(std::int64_t constant) : node_(exploration().node({'c', constant})) {}

Word Word::combine(char op, Word a, Word b) {
  return Word(exploration().node({op, 0, a.node_, b.node_}), nullptr);
}

Flag compare(const char* relation, Word a, Word b, unsigned bits) {
  auto& compares = exploration().compares_;
  const Exploration::Compare c{relation, a.node(), b.node(), bits};
  auto at = std::find(compares.begin(), compares.end(), c);
  if (at == compares.end()) at = compares.insert(compares.end(), c);
  return {static_cast<int>(at - compares.begin()), false};
}

Flag::operator bool() const { return exploration().answer(compare_) != negated_; }

Exploration::Exploration() : outer_(current) { current = this; }
Exploration::~Exploration() { current = outer_; }

Word Exploration::before(unsigned i) const {
  return Word(const_cast<Exploration*>(this)->node({'b', i}), nullptr);
}
Word Exploration::operand(unsigned i) const {
  return Word(const_cast<Exploration*>(this)->node({'o', i}), nullptr);
}

int Exploration::node(const Node& n) {
  auto at = std::find(nodes_.begin(), nodes_.end(), n);
  if (at == nodes_.end()) at = nodes_.insert(nodes_.end(), n);
  return static_cast<int>(at - nodes_.begin());
}

/// The answer of this way: as decided before on it, or the next of the script, or no.
bool Exploration::answer(int compare) {
  for (std::size_t i = 0; i < given_; ++i)
    if (script_[i].first == compare) return script_[i].second;
  if (given_ == script_.size()) script_.emplace_back(compare, false);
  return script_[given_++].second;
}

bool Exploration::begin() {
  if (!first_) {
    while (!script_.empty() && script_.back().second) script_.pop_back();
    if (script_.empty()) return false;
    script_.back().second = true;
  }
  constexpr std::size_t most = 256;
  if (paths_.size() == most) throw ModelError("a stateful action with more than 256 ways");
  first_ = false;
  given_ = 0;
  return true;
}

void Exploration::end(Path path) {
  path.decided = script_;
  paths_.push_back(std::move(path));
}

std::string Exploration::text(int node) const {
  const Node& n = nodes_.at(static_cast<std::size_t>(node));
  switch (n.op) {
    case 'c':
      return std::to_string(n.value);
    case 'b':
      return n.value == 0 ? "cell" : "cell's second word";
    case 'o':
      return n.value == 0 ? "operand 1" : "operand " + std::to_string(n.value + 1);
    case 'm':
      return fmt::format("min({}, {})", text(n.left), text(n.right));
    case 'M':
      return fmt::format("max({}, {})", text(n.left), text(n.right));
    case 'h':
      return fmt::format("half of {}", text(n.left));
    case 's':
    case 'd':
      return fmt::format("({} {} {}, saturating)", text(n.left), n.op == 's' ? '+' : '-',
                         text(n.right));
    default:
      return fmt::format("({} {} {})", text(n.left), n.op, text(n.right));
  }
}

/// Sums and differences as terms with signs.
void Exploration::add_terms(int node, int sign, std::vector<std::pair<int, int>>& terms) const {
  const Node& n = nodes_.at(static_cast<std::size_t>(node));
  if (n.op != '+' && n.op != '-') {
    terms.emplace_back(node, sign);
    return;
  }
  add_terms(n.left, sign, terms);
  add_terms(n.right, n.op == '+' ? sign : -sign, terms);
}

/// A comparison unit adds a word of the cell, an operand and a constant, each with a sign, and
/// compares the sum with zero.
std::string Exploration::check_compare(const Compare& c) const {
  std::vector<std::pair<int, int>> terms;
  add_terms(c.left, 1, terms);
  add_terms(c.right, -1, terms);
  unsigned cells = 0, operands = 0, other = 0;
  for (const auto& [node, sign] : terms) {
    const char op = nodes_[static_cast<std::size_t>(node)].op;
    if (op == 'b')
      ++cells;
    else if (op == 'o')
      ++operands;
    else if (op != 'c')
      ++other;
  }
  if (cells <= 1 && operands <= 1 && other == 0) return {};
  return fmt::format(
      "compares {} {} {}; expected a sum of one word of the cell, one operand and "
      "constants against zero",
      text(c.left), c.relation, text(c.right));
}

/// An ALU makes one operation of a word of the cell, or a constant, and of an operand or a
/// constant.
std::string Exploration::check_update(int node, unsigned) const {
  const auto leaf = [&](int n) {
    const Node& one = nodes_[static_cast<std::size_t>(n)];
    if (one.op == 'h' && nodes_[static_cast<std::size_t>(one.left)].op != 'c')
      return nodes_[static_cast<std::size_t>(one.left)].left < 0 ? 'o' : ' ';  // the math unit's
    return one.op == 'c' || one.op == 'b' || one.op == 'o' ? one.op : ' ';
  };
  if (leaf(node) != ' ') return {};
  const Node& n = nodes_[static_cast<std::size_t>(node)];
  const char a = leaf(n.left), b = leaf(n.right);
  const bool two_cells = a == 'b' && b == 'b', two_operands = a == 'o' && b == 'o';
  if (a != ' ' && b != ' ' && !two_cells && !two_operands) return {};
  return fmt::format(
      "computes {}; expected one operation of a word of the cell or a constant and "
      "of an operand or a constant",
      text(node));
}

void Exploration::collect_constants(int node, std::vector<std::int64_t>& constants) const {
  const Node& n = nodes_.at(static_cast<std::size_t>(node));
  if (n.left >= 0) collect_constants(n.left, constants);
  if (n.right >= 0) collect_constants(n.right, constants);
  constexpr std::int64_t least = -8, most = 7;  // what an instruction holds
  if (n.op != 'c' || (n.value >= least && n.value <= most)) return;
  if (std::find(constants.begin(), constants.end(), n.value) == constants.end())
    constants.push_back(n.value);
}

ActionFacts Exploration::facts(const std::string& name, std::uint32_t width, unsigned operands,
                               std::string& fault) const {
  ActionFacts facts{.name = name, .operands = operands, .constants = {}};
  const auto wrong = [&](const std::string& what) {
    if (fault.empty()) fault = what;
  };
  std::set<int> asked;
  for (const Path& p : paths_)
    for (const auto& [compare, holds] : p.decided) asked.insert(compare);
  bool flags = false;
  for (const Path& p : paths_) flags = flags || !p.flags.empty();
  // A comparison that is given and not asked is one as well.
  if (flags)
    for (std::size_t i = 0; i < compares_.size(); ++i) asked.insert(static_cast<int>(i));
  facts.compares = static_cast<std::uint32_t>(asked.size());
  for (const int c : asked) {
    const Compare& compare = compares_[static_cast<std::size_t>(c)];
    if (const auto w = check_compare(compare); !w.empty()) wrong(w);
    collect_constants(compare.left, facts.constants);
    collect_constants(compare.right, facts.constants);
  }
  const std::size_t words = paths_.front().cell.size();
  for (std::size_t word = 0; word < words; ++word) {
    std::set<int> values;
    for (const Path& p : paths_) values.insert(p.cell[word]);
    for (const int node : values) {
      if (const auto w = check_update(node, static_cast<unsigned>(word)); !w.empty()) wrong(w);
      collect_constants(node, facts.constants);
    }
    // "As it was" needs no ALU unless the word afterwards is given.
    const int before = const_cast<Exploration*>(this)->node({'b', static_cast<std::int64_t>(word)});
    facts.updates = std::max(facts.updates, static_cast<std::uint32_t>(values.size()));
    std::set<int> changes = values;
    changes.erase(before);
    if (changes.size() > 2) {
      wrong(fmt::format("has {} new values for a word; a word has 2 ALUs", changes.size()));
    }
    if (width == 1) {
      for (const int node : changes) {
        const Node& n = nodes_[static_cast<std::size_t>(node)];
        if (n.op != 'c' || facts.compares > 0)
          wrong(
              fmt::format("computes {} for a cell of 1 bit; expected to set, clear or keep it "
                          "without a comparison",
                          text(node)));
      }
    }
  }
  std::size_t given = 0;
  for (const Path& p : paths_) given = std::max(given, p.words.size());
  for (std::size_t i = 0; i < given; ++i) {
    // One source for all ways, or zero: the word before, an operand, or the ALU, whose result is
    // the word afterwards.
    bool same = true, after = true;
    int source = -1;
    for (const Path& p : paths_) {
      const Node& n = nodes_[static_cast<std::size_t>(p.words[i])];
      const bool zero = n.op == 'c' && n.value == 0;
      after =
          after && (zero || std::find(p.cell.begin(), p.cell.end(), p.words[i]) != p.cell.end());
      if (zero) continue;
      if (source < 0) source = p.words[i];
      const bool plain = n.op == 'b' || n.op == 'o' || n.op == 'c';
      same = same && source == p.words[i] && plain;
    }
    if (!same && !after)
      wrong(
          "gives values of several sources; expected the word before, the word afterwards or an "
          "operand, or zero");
  }
  facts.outputs = static_cast<std::uint32_t>(given) + (flags ? 1 : 0);
  if (operands > 2) wrong(fmt::format("has {} operands; an ALU has 2", operands));
  std::sort(facts.constants.begin(), facts.constants.end());
  return facts;
}

}  // namespace horae::dataplane::stateful
