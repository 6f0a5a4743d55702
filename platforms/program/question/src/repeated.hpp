// Observations of the same thing.
#pragma once

#include "horae/question/question.hpp"

namespace horae::question {

/// Takes out of a question what says the same number again, and notes it (Question::repeated). Two
/// observations are of the same thing if they are the same quantity (same_quantity) in conditions
/// that set the same. They are the same number if they differ by no more than their roundings: the
/// one with the smaller allowance stays, and points are chosen by it if by either. InputError that
/// names both where they contradict each other: no value is within the allowances of both.
void take_out_repeated(Question& question);

}  // namespace horae::question
