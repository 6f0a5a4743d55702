// Where libFuzzer enters a target. Counts what is executed, says so at the end, and ends a run that
// has executed as many bytes as HORAE_FUZZ_BYTES asks: what tb/tools/fuzz keeps in a table.
#include "executed.hpp"

namespace {

struct Run : horae::fuzz::Executed {
  ~Run() { say(); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::uint64_t enough = horae::fuzz::bytes_asked();
  static Run run;
  run.one({data, size});
  if (enough != 0 && run.bytes >= enough) {
    run.say();
    std::_Exit(0);  // libFuzzer takes exit() of a target for a finding
  }
  return 0;
}
