// The program under test is the one with mutations in it, in place of tb/platforms/program.cpp.
#include <cstdlib>

namespace horae::test {

const char* program_path();
const char* program_path() { return std::getenv("HORAE_MUTATION_PROGRAM"); }

}  // namespace horae::test
