# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# How tests are added. A label of a test is the part that it belongs to, the first word of its name: a test
# "unit.enum_text" has the label "unit". One that is LONG has that label, too: only ./dev test --long runs it. Emulated devices of tests that run at the same time
# do not meet: the second would have another LID.

# An emulated device is a tree of small files in TMPDIR for each process: where these are in memory, most tests take a fifth of the time.
# The generator writes hundreds of files each time; where there is room for many of its folders, it takes two thirds of the time.
set(verbsx_in_memory unit parity mistakes examples stress torture)
set(verbsx_tmp "")
execute_process(COMMAND test -d /dev/shm -a -w /dev/shm RESULT_VARIABLE verbsx_result)
if(verbsx_result EQUAL 0)
  set(verbsx_tmp TMPDIR=/dev/shm)
  execute_process(COMMAND df -k --output=avail /dev/shm OUTPUT_VARIABLE verbsx_room ERROR_QUIET)
  if(verbsx_room MATCHES "([0-9]+)" AND CMAKE_MATCH_1 GREATER 2000000)
    list(APPEND verbsx_in_memory gen)
  endif()
endif()

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
  set(environment VERBSX_EMU_FABRIC=none)
  if(labels MATCHES "^[a-z]+" AND CMAKE_MATCH_0 IN_LIST verbsx_in_memory)
    list(APPEND environment ${verbsx_tmp})
  endif()
  if(labels MATCHES "^gen") # which makes copies of the tree: what the generator keeps of them is nobody's
    list(APPEND environment XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache GEN_TREES=${PROJECT_BINARY_DIR}/tests/headers/trees)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMAND_EXPAND_LISTS)
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${environment}"
                                          ${arg_PROPERTIES})
endfunction()

# What tests a library and does little itself is compiled more often than it runs.
set(verbsx_unoptimised -O0 -U_FORTIFY_SOURCE)

# What is called once for an object, and hundreds of functions of one shape: for a sanitizer compiled in half the time, and more is looked at.
set(verbsx_seldom_sources ${verbsx_rooms} ${verbsx_generated_sources})
list(FILTER verbsx_seldom_sources INCLUDE REGEX "/rooms/(cm|object|post|reason|trace|verbs)\\.c$|/src/(by_post|loader|methods|objects|queries|rare|tap_wr|trace)\\.c$")

# verbsx_test_program(target source...): built with warnings as the library is, seeing its private headers, linked with the open one.
function(verbsx_test_program target)
  add_executable(${target} ${ARGN})
  verbsx_compile(${target})
  target_compile_options(${target} PRIVATE ${verbsx_unoptimised})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/runtime/src ${verbsx_generated}/src)
  target_link_libraries(${target} PRIVATE verbsx-open)
endfunction()

# verbsx_unit_test(enum_text source...): a program of the runner that is the test unit.enum_text.
function(verbsx_unit_test name)
  verbsx_test_program(unit-${name} ${ARGN})
  target_link_libraries(unit-${name} PRIVATE test-runner)
  verbsx_test(unit.${name} COMMAND unit-${name})
endfunction()
