// The parts of an answer as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "horae/explain/answer.hpp"

namespace horae::explain {

/// The keys with which every answer begins, up to the time taken.
nlohmann::ordered_json head_json(const question::Question& question, double wall_seconds);
/// What was said more than once and is counted once: `id`, `again`.
nlohmann::ordered_json repeated_json(const question::Question& question);
/// A published number beside ours.
nlohmann::ordered_json comparison_json(const lab::Compared& compared);
/// All about one hypothesis.
nlohmann::ordered_json hypothesis_json(const HypothesisVerdict& verdict);
nlohmann::ordered_json experiment_json(const Answer& answer, const ComparedExperiment& compared);
/// All curves, each with the line of every survivor.
nlohmann::ordered_json curves_json(const question::Question& question, const Answer& answer);

}  // namespace horae::explain
