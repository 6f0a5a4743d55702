// The two ways a model refuses: bad input of a user, and a broken rule of the model.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae {

/// A mistake in the user's input. `what()` is the whole one-line message: where (file:line:column
/// or the flag), what was found, what was expected, the nearest valid name. The program ends with
/// exit code 2 and leaves nothing half-written.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A rule of the modelled hardware or of the simulator was broken: a defect in a program or a
/// model, never in the input. The message names object, packet and time.
class ModelError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// The candidate nearest to `name` by edit distance, if it is near enough to be a likely slip
/// (at most a third of its length, at least 2); empty otherwise.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// `, did you mean 'x'?` for the nearest candidate, or `; expected one of a, b, c` when none is
/// near.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace horae
