// GOAL schedules as text:
//
//     num_ranks 2
//     rank 0 {
//     l1: calc 100 cpu 0
//     l2: send 4096b to 1 tag 7 cpu 0 nic 0
//     l2 requires l1
//     }
//
// Comments are // and /* */. The grammar is that of src/LogGOPSim/txt2bin.re of spcl/LogGOPSim;
// here tag, cpu and nic come in any order.
#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <unordered_map>

#include "goal_formats.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/traffic/list_lines.hpp"

namespace horae::traffic {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class GoalText {
 public:
  explicit GoalText(const std::string& path) : lines_(path, "a GOAL schedule", 65534) {
    out_.path = path;
  }

  GoalSchedule read() {
    bool any = false;
    while (lines_.next()) {
      cut();
      if (!words_.empty()) any = true, line();
    }
    if (!any) throw lines_.error_at(0, "an empty file; expected a GOAL schedule: 'num_ranks N'");
    if (rank_ != nullptr)
      throw lines_.error(1, fmt::format("the end of the file in rank {}; expected '}}'", number_));
    if (out_.ranks.empty())
      throw lines_.error_at(0, "no line 'num_ranks N'; expected it before the first rank");
    for (std::size_t r = 0; r < seen_.size(); ++r) {
      if (seen_[r] == 0)
        throw lines_.error_at(
            ranks_at_,
            fmt::format("num_ranks is {}; the file has no 'rank {} {{'", seen_.size(), r));
    }
    return std::move(out_);
  }

 private:
  /// Words, numbers (-1 among them) and the signs {, } and :, without comments.
  void cut() {
    words_.clear();
    const std::string_view text = lines_.text();
    for (std::size_t i = 0; i < text.size();) {
      const auto rest = text.substr(i);
      if (in_comment_) {
        const std::size_t end = rest.find("*/");
        if (end == std::string_view::npos) return;
        in_comment_ = false;
        i += end + 2;
      } else if (rest.starts_with("//")) {
        return;
      } else if (rest.starts_with("/*")) {
        in_comment_ = true;
        i += 2;
      } else if (rest[0] == ' ' || rest[0] == '\t') {
        ++i;
      } else {
        std::size_t n = 1;
        if (is_letter(rest[0])) {
          while (n < rest.size() && (is_letter(rest[n]) || is_digit(rest[n]) || rest[n] == '_'))
            ++n;
        } else if (is_digit(rest[0]) || rest[0] == '-') {
          while (n < rest.size() && is_digit(rest[n])) ++n;
        }
        words_.push_back({rest.substr(0, n), static_cast<std::uint32_t>(i + 1)});
        i += n;
      }
    }
  }

  InputError wrong(std::size_t at, std::string_view expected) const {
    if (at < words_.size()) {
      return lines_.error(words_[at].column,
                          fmt::format("'{}'; expected {}", printable(words_[at].text), expected));
    }
    return lines_.error(static_cast<std::uint32_t>(lines_.text().size() + 1),
                        fmt::format("the end of the line; expected {}", expected));
  }
  bool is(std::size_t at, std::string_view text) const {
    return at < words_.size() && words_[at].text == text;
  }
  bool is_name(std::size_t at) const { return at < words_.size() && is_letter(words_[at].text[0]); }
  std::uint64_t number(std::size_t at, std::string_view what, std::uint64_t most) const {
    if (at >= words_.size()) throw wrong(at, fmt::format("{}, a whole number", what));
    return lines_.whole(words_[at], what, 0, most);
  }
  void end(std::size_t at, std::string_view expected) const {
    if (at < words_.size()) throw wrong(at, expected);
  }

  void line() {
    if (rank_ == nullptr) return outside();
    if (is(0, "}")) {
      end(1, "the end of the line");
      return close();
    }
    if (!is_name(0)) throw wrong(0, "an operation, a label or '}'");
    if (is(0, "send") || is(0, "recv") || is(0, "calc")) return operation(0, {});
    if (is(1, ":")) return operation(2, words_[0].text);
    if (is(1, "requires") || is(1, "irequires")) return dependency();
    throw wrong(1, fmt::format("':', 'requires' or 'irequires' behind the label '{}'",
                               printable(words_[0].text)));
  }

  void outside() {
    if (is(0, "num_ranks")) {
      if (ranks_at_ != 0)
        throw lines_.error(1, fmt::format("num_ranks is on line {} already", ranks_at_));
      const auto ranks = number(1, "num_ranks", most_goal_ranks);
      if (ranks == 0) throw wrong(1, "a rank at least");
      end(2, "the end of the line");
      ranks_at_ = lines_.line();
      out_.ranks.resize(ranks);
      seen_.resize(ranks);
      return;
    }
    if (!is(0, "rank")) throw wrong(0, ranks_at_ == 0 ? "'num_ranks N'" : "'rank N {'");
    if (ranks_at_ == 0) throw wrong(0, "'num_ranks N' before it");
    number_ = static_cast<std::uint32_t>(number(1, "rank", out_.ranks.size() - 1));
    if (!is(2, "{")) throw wrong(2, "'{'");
    end(3, "the end of the line");
    if (seen_[number_] != 0) {
      throw lines_.error(1, fmt::format("rank {} is on line {} already", number_, seen_[number_]));
    }
    seen_[number_] = lines_.line();
    rank_ = &out_.ranks[number_];
  }

  void close() {
    place_dependencies(*rank_, dependencies_);
    dependencies_.clear();
    labels_.clear();
    rank_ = nullptr;
  }

  void operation(std::size_t at, std::string_view label) {
    GoalOp op;
    op.place = lines_.line();
    std::size_t next = at + 2;
    if (is(at, "calc")) {
      op.kind = GoalOp::Kind::calc;
      op.size = number(at + 1, "calc", most_goal_units);
    } else if (is(at, "send") || is(at, "recv")) {
      const bool sends = is(at, "send");
      op.kind = sends ? GoalOp::Kind::send : GoalOp::Kind::recv;
      op.size = number(at + 1, sends ? "send" : "recv", most_goal_bytes);
      if (!is(at + 2, "b")) throw wrong(at + 2, "'b' behind the bytes");
      if (!is(at + 3, sends ? "to" : "from")) throw wrong(at + 3, sends ? "'to'" : "'from'");
      op.peer = !sends && is(at + 4, "-1")
                    ? GoalOp::any
                    : static_cast<std::uint32_t>(number(at + 4, "a rank", out_.ranks.size() - 1));
      if (op.peer == number_)
        throw lines_.error(words_[at + 4].column,
                           fmt::format("rank {} itself; expected another rank", number_));
      next = at + 5;
    } else {
      throw wrong(at, "calc, send or recv");
    }
    for (; next < words_.size(); next += 2) option(next, op);
    const auto here = static_cast<std::uint32_t>(rank_->ops.size());
    if (!label.empty()) {
      const auto [it, added] = labels_.try_emplace(std::string(label), here);
      if (!added) {
        throw lines_.error(words_[0].column,
                           fmt::format("label '{}' is on line {} already", printable(label),
                                       rank_->ops[it->second].place));
      }
    }
    rank_->ops.push_back(op);
  }

  void option(std::size_t at, GoalOp& op) const {
    if (is(at, "cpu")) {
      op.cpu = static_cast<std::uint8_t>(number(at + 1, "cpu", 255));
    } else if (is(at, "nic") && op.kind != GoalOp::Kind::calc) {
      op.nic = static_cast<std::uint8_t>(number(at + 1, "nic", 255));
    } else if (is(at, "tag") && op.kind != GoalOp::Kind::calc) {
      const bool any = op.kind == GoalOp::Kind::recv && is(at + 1, "-1");
      op.tag =
          any ? GoalOp::any : static_cast<std::uint32_t>(number(at + 1, "tag", GoalOp::any - 1));
    } else {
      throw wrong(at, op.kind == GoalOp::Kind::calc ? "'cpu' or the end of the line"
                                                    : "'tag', 'cpu', 'nic' or the end of the line");
    }
  }

  void dependency() {
    if (!is_name(2)) throw wrong(2, "a label");
    end(3, "the end of the line");
    dependencies_.push_back({labelled(0), labelled(2), is(1, "irequires")});
  }

  std::uint32_t labelled(std::size_t at) const {
    const auto it = labels_.find(std::string(words_[at].text));
    if (it != labels_.end()) return it->second;
    std::vector<std::string> names;
    constexpr std::size_t most_compared = 1000;
    for (auto l = labels_.begin(); l != labels_.end() && names.size() < most_compared; ++l)
      names.push_back(l->first);
    const std::string near =
        labels_.size() > most_compared ? "" : nearest_name(words_[at].text, names);
    throw lines_.error(
        words_[at].column,
        fmt::format("no label '{}' before this line in rank {}{}", printable(words_[at].text),
                    number_, near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
  }

  ListLines lines_;
  GoalSchedule out_;
  std::vector<Word> words_;
  bool in_comment_ = false;
  std::uint32_t ranks_at_ = 0;
  std::vector<std::uint32_t> seen_;  ///< by rank: its line
  GoalRank* rank_ = nullptr;         ///< that is being read
  std::uint32_t number_ = 0;
  std::unordered_map<std::string, std::uint32_t> labels_;  ///< of the rank
  std::vector<GoalDependency> dependencies_;               ///< likewise
};

}  // namespace

GoalSchedule read_goal_text(const std::string& path) { return GoalText(path).read(); }

}  // namespace horae::traffic
