# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# How tests are added. A label of a test is the part that it belongs to, the first word of its name: a test
# "unit.enum_text" has the label "unit". One that is LONG has that label, too: only ./dev test --long runs it. Emulated devices of tests that run at the same time
# do not meet: the second would have another LID.

# verbsx_test(unit.enum_text COMMAND program argument... [LONG] [TIMEOUT seconds] [PROPERTIES name value...])
function(verbsx_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LONG" "TIMEOUT" "COMMAND;PROPERTIES")
  string(REGEX REPLACE "\\..*" "" labels ${name})
  if(arg_LONG)
    list(APPEND labels long)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMAND_EXPAND_LISTS)
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT VERBSX_EMU_FABRIC=none
                                          ${arg_PROPERTIES})
endfunction()

# verbsx_test_program(target source...): built as the library is, seeing its private headers, linked with the open one.
function(verbsx_test_program target)
  add_executable(${target} ${ARGN})
  verbsx_compile(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/runtime/src ${verbsx_generated}/src)
  target_link_libraries(${target} PRIVATE verbsx-open)
endfunction()

# verbsx_unit_test(enum_text source...): a Criterion program that is the test unit.enum_text.
function(verbsx_unit_test name)
  verbsx_test_program(unit-${name} ${ARGN})
  target_link_libraries(unit-${name} PRIVATE test-runner)
  verbsx_test(unit.${name} COMMAND unit-${name})
endfunction()
