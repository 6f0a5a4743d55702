# Build-wide choices. -O2 for the models: measurements show little gain from -O3 or LTO, and library
# assertions cost little time, so they stay on. What is never hot (schemas, the command line, tests)
# is compiled with HORAE_COLD: -O1, which halves its build time, and -O0 under sanitizers, whose checks take
# the optimizer as long as all the rest; -g1 keeps lines for backtraces and profiles.
# Tests are -O0 or -O1 (tb/CMakeLists.txt).
option(HORAE_TESTS "Build the tests in tb/" ON)
set(HORAE_SANITIZE OFF CACHE STRING
    "ON: AddressSanitizer and UndefinedBehaviorSanitizer; THREAD: ThreadSanitizer; OFF")
option(HORAE_UNITY "Compile several sources at once: sooner from nothing, later after a change" OFF)
option(HORAE_FUZZ "Build the fuzz targets of tb/fuzz with libFuzzer (clang only)" OFF)
set(HORAE_MPI AUTO CACHE STRING
    "Ranks (one run over several processes): AUTO builds them if MPI is there, ON, OFF")
set(HORAE_PLAIN_OBJECTS "" CACHE PATH
    "Build folder without sanitizers whose objects of PLAIN tests (tb/CMakeLists.txt) are taken")
option(HORAE_WERROR "Turn warnings into errors" ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_UNITY_BUILD ${HORAE_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(HORAE_UNITY)
  add_compile_options(-Wno-shadow) # what one file declares for itself is no concern of the next
endif()
if(HORAE_WERROR)
  add_compile_options(-Werror)
endif()
add_compile_definitions(_GLIBCXX_ASSERTIONS)

set(HORAE_COLD -O1)
if(HORAE_SANITIZE STREQUAL "THREAD")
  set(HORAE_COLD -O0)
  add_compile_options(-fsanitize=thread -O1)
  add_link_options(-fsanitize=thread)
elseif(HORAE_SANITIZE)
  # Checks as calls: written out they take the compiler half as long again.
  set(HORAE_COLD -O0 "SHELL:--param asan-instrumentation-with-call-threshold=0")
  # detect_stack_use_after_return must stay off at run time: its fake stacks break SC_THREAD stacks.
  # Not -Og: with it and GCC 12 new packets fail Boost.Intrusive's check of their hook.
  # Left out: what AddressSanitizer finds as well (null, object-size), and two checks of every access by
  # pointer that cost a third of the build (alignment: captures are read by bytes; vptr).
  set(HORAE_SANITIZER_OPTIONS
      -fsanitize=address,undefined -fno-sanitize=alignment,null,object-size,vptr
      -fno-sanitize-recover=all -fno-omit-frame-pointer -O1)
  add_compile_options(${HORAE_SANITIZER_OPTIONS})
  add_link_options(-fsanitize=address,undefined)
endif()

if(HORAE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "HORAE_FUZZ=ON needs clang: -DCMAKE_CXX_COMPILER=clang++")
  endif()
  # The coverage that libFuzzer follows, in all that is read; assertions and sanitizers end a run.
  set(HORAE_COLD -O1)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=alignment,vptr
                      -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -w)
  add_link_options(-fsanitize=address,undefined)
endif()

find_program(HORAE_CCACHE ccache)
if(HORAE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HORAE_CCACHE})
endif()
