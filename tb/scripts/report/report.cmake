# scripts/report: results that horae writes, made once, and pages of them.
set(results ${CMAKE_CURRENT_BINARY_DIR}/report_results)
add_test(NAME scripts/report_results COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/report/report_inputs.py ${results})
set_tests_properties(scripts/report_results PROPERTIES LABELS source TIMEOUT 300
  ENVIRONMENT "HORAE_PROGRAM=$<TARGET_FILE:horae>" FIXTURES_SETUP report_results)
foreach(part Pages Big Reduced Replays Refuses)
  add_test(NAME scripts/report_${part} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/report/report_test.py ${part})
  list(APPEND tests scripts/report_${part})
endforeach()
add_test(NAME scripts/report_browser COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/report/report_browser_test.py)
list(APPEND tests scripts/report_browser)
set_tests_properties(${tests} PROPERTIES LABELS source TIMEOUT 300 SKIP_RETURN_CODE 77 FIXTURES_REQUIRED report_results
  ENVIRONMENT "HORAE_PROGRAM=$<TARGET_FILE:horae>;HORAE_REPORT_RESULTS=${results}")
