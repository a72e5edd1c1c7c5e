# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# verbsx_python: an interpreter that can run the generator. The first python3 of the PATH may be one that does not see
# Debian's packages, so each candidate is asked.

set(VERBSX_PYTHON "" CACHE FILEPATH "Python that has clang.cindex and jinja2 (default: the first that has)")

if(DEFINED verbsx_python)
  return()
endif()

foreach(verbsx_candidate IN ITEMS ${VERBSX_PYTHON} python3 /usr/bin/python3)
  execute_process(
    COMMAND ${verbsx_candidate} -c "import tomllib, jinja2, clang.cindex; clang.cindex.Index.create()"
    RESULT_VARIABLE verbsx_result
    OUTPUT_QUIET ERROR_QUIET)
  if(verbsx_result EQUAL 0)
    set(verbsx_python ${verbsx_candidate})
    message(STATUS "Python for the generator: ${verbsx_python}")
    return()
  endif()
endforeach()

message(FATAL_ERROR "No Python >= 3.11 with clang.cindex and jinja2 for the generator: "
                    "apt-get install python3 python3-clang python3-jinja2, or name another by -DVERBSX_PYTHON=")
