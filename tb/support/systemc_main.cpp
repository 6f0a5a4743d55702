// GoogleTest inside sc_main; any SystemC warning or error fails the test it happens in, but for
// what window_clock::run_to() throws as well: that a test may expect.
#include <gtest/gtest.h>

#include <string_view>
#include <systemc>

namespace {

void report_to_gtest(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  const bool thrown = std::string_view(report.get_msg_type()).starts_with("/horae/");
  if (report.get_severity() >= sc_core::SC_WARNING && !thrown) {
    ADD_FAILURE() << "SystemC report " << report.get_msg_type() << ": " << report.get_msg();
  }
  sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_DISPLAY);
}

}  // namespace

int main(int argc, char** argv) { return sc_core::sc_elab_and_sim(argc, argv); }

int sc_main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  sc_core::sc_report_handler::set_handler(report_to_gtest);
  return RUN_ALL_TESTS();
}
