// Included before the main() of a test binary with mutations: each test runs in a child process of
// its own.
#pragma once

#include <gtest/gtest.h>

namespace horae_mutation {

/// In place of RUN_ALL_TESTS(). Environment: HORAE_MUTATION_REPORT a file to write, a line a test:
/// its name, "passed", "failed", "timeout" or "signal N", seconds of processor time, and the
/// switches that it passed, one hexadecimal digit each. HORAE_MUTATION_TESTS a file with tests in
/// their order, lines of "SECONDS NAME", SECONDS of processor time that it may take; without: all
/// tests. It ends at the first that does not pass, unless HORAE_MUTATION_TO_END is set.
/// HORAE_MUTATION_LIST: prints the names of all tests, runs none.
int run_tests();

}  // namespace horae_mutation

#define RUN_ALL_TESTS ::horae_mutation::run_tests
