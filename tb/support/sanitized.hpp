// Whether this is the sanitizer build, where everything takes many times as long.
#pragma once

// There only when AddressSanitizer is linked: test sources themselves may be compiled without it.
extern "C" void __asan_init() __attribute__((weak));

namespace horae::test {

inline bool sanitized() { return __asan_init != nullptr; }

}  // namespace horae::test
