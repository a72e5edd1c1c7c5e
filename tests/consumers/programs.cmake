# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The programs of a CMake consumer: C and C++, with the shared and with the static library.

set(sources ${CMAKE_CURRENT_LIST_DIR})
add_executable(names-c-shared ${sources}/names.c)
add_executable(names-c-static ${sources}/names.c)
add_executable(names-cxx-shared ${sources}/names.cpp)
add_executable(names-cxx-static ${sources}/names.cpp)
add_executable(devices-shared ${sources}/devices.c)
add_executable(devices-static ${sources}/devices.c)

foreach(program IN ITEMS names-c names-cxx devices)
  target_link_libraries(${program}-shared PRIVATE verbsx::verbsx)
  target_link_libraries(${program}-static PRIVATE verbsx::verbsx-static)
endforeach()
