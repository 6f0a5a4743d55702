// The only sc_main.
#include <cstdlib>
#include <systemc>

#include "horae/cli/program.hpp"

int main(int argc, char** argv) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}

int sc_main(int argc, char** argv) { return horae::cli::run_program(argc, argv); }
