// An answer as text: its beginning, and all of it.
#include "text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "horae/explain/arithmetic.hpp"
#include "horae/explain/report.hpp"

namespace horae::explain {
namespace {

std::string heading_text(const question::Question& q, std::size_t runs) {
  std::string variants;
  for (const auto& v : q.hypotheses.variants)
    variants += (variants.empty() ? "" : ", ") + v.label.value;
  const unsigned last = q.seed + q.request.seeds - 1;
  std::string out = question_text(q);
  out += fmt::format("variants      {}\n", variants);
  if (!q.open_readings().empty()) {
    out += fmt::format("readings      {}\n",
                       fmt::join(question::reading_texts(q.request.readings), ", "));
  }
  out += fmt::format("seeds         {} to {}; fits with {}\n", q.seed, last, q.seed);
  out += fmt::format("runs          {}\n", runs);
  return out;
}

std::string arithmetic_section(const question::Question& q, const Answer& answer) {
  // What is the same for several variants is said once.
  std::vector<std::pair<std::vector<std::string>, std::string>> blocks;
  for (std::size_t v = 0; v < q.hypotheses.variants.size(); ++v) {
    if (!answer.facts[v]) continue;
    const SenderFacts& facts = *answer.facts[v];
    auto lines = arithmetic_text({q.observations, q.request.readings, facts}, q.hypotheses);
    if (lines.empty()) continue;
    const auto it = std::find_if(blocks.begin(), blocks.end(),
                                 [&](const auto& block) { return block.first == lines; });
    const std::string title = fmt::format("{} ({:.0f} B a packet on the wire)",
                                          q.hypotheses.variants[v].label.value, facts.frame_bytes);
    if (it == blocks.end()) {
      blocks.emplace_back(std::move(lines), title);
    } else {
      it->second += ", " + title;
    }
  }
  // About acknowledgements out of order: other questions have none of it.
  if (blocks.empty() && q.open_readings().empty()) return "";
  std::string out = "\nArithmetic on the published numbers, without simulation\n";
  for (const auto& [lines, title] : blocks) {
    out += fmt::format("  {}\n", title);
    for (const auto& line : lines) out += fmt::format("    {}\n", line);
  }
  return blocks.empty() ? out + "  nothing follows\n" : out;
}

}  // namespace

std::string question_text(const question::Question& q) {
  std::string out = fmt::format("{}\n{}\n\n", q.observations.title, q.observations.source);
  out += fmt::format("platform      {} ({})\n", q.platform_name, q.request.platform);
  out += fmt::format("observations  {} from {}\n", q.observations.observations.size(),
                     q.observations_path);
  for (const auto& r : q.repeated) {
    out += fmt::format("counted once  {}, which {} again: the same number\n", r.id,
                       r.again.size() > 1 ? fmt::format("{} say", fmt::join(r.again, ", "))
                                          : r.again.front() + " says");
  }
  out += fmt::format("hypotheses    {} from {}, {} reactions\n", q.hypotheses.hypotheses.size(),
                     q.hypotheses_path, q.hypotheses.reactions.size());
  return out;
}

std::string answer_text(const lab::Laboratory& laboratory, const Answer& answer) {
  const question::Question& q = laboratory.question();
  std::string out =
      heading_text(q, laboratory.runs().records().size()) + arithmetic_section(q, answer);
  out +=
      "\nHypotheses, best last (* misses by more than rounding + tolerance + twice the spread;\n"
      "plausible: where the fit's objective stays within 1 of the best along that parameter, by\n"
      "bisection; none where the best itself misses by more than the tolerances)\n";
  for (auto i = answer.order.rbegin(); i != answer.order.rend(); ++i)
    out += hypothesis_text(q, answer.hypotheses[*i]);
  return out + experiments_text(answer) + ranked_text(answer);
}

}  // namespace horae::explain
