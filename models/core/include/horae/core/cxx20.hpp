// Ends a compilation as less than C++20 with a line that says so. Headers that include no other
// header of Horae include this one, so it is read before any code of Horae's.
#pragma once

#if __cplusplus < 202002L
#error "Horae's headers are C++20: compile what includes them with -std=c++20 or later"
// No such file: an #error alone would be followed by all that the rest means in another language.
#include "horae/core/end_of_compilation"
#endif
