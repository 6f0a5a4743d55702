// The program: the list of commands, complaints about arguments, exit codes.
#pragma once

namespace horae::cli {

/// Does what the command line asks and returns the exit code (results::ExitCode). Every complaint
/// is one line on standard error.
int run_program(int argc, char** argv);

}  // namespace horae::cli
