#include "program.hpp"

namespace horae::test {

const char* program_path() { return HORAE_PROGRAM; }

}  // namespace horae::test
