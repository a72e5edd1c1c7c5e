# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# cmake -DARCHIVE=libverbsx.a -DMAP=libverbsx.map -DNM=nm -DOBJCOPY=objcopy -P VerbsxHide.cmake
#
# What the objects of the static library share with each other is no API, and a program may use its names. To hide it they
# would have to become one object, which no linker takes a part of; so it gets names that nobody else has.

execute_process(COMMAND ${NM} -g --defined-only -P ${ARCHIVE} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
file(READ ${MAP} map)
string(REGEX MATCHALL "(^|\n)vx_[A-Za-z0-9_]+ " names "${symbols}")
list(TRANSFORM names STRIP)
list(REMOVE_DUPLICATES names)

set(lines "")
foreach(name IN LISTS names)
  if(NOT "${map}" MATCHES "[\t]${name}[;]")
    string(APPEND lines "${name} verbsx_internal_${name}\n")
  endif()
endforeach()
file(WRITE ${ARCHIVE}.internal "${lines}")
execute_process(COMMAND ${OBJCOPY} --redefine-syms=${ARCHIVE}.internal ${ARCHIVE} COMMAND_ERROR_IS_FATAL ANY)
