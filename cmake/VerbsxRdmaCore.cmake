# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# verbsx::rdma-core: what a program needs beside libverbsx.a, as this build of libverbsx reaches rdma-core: the
# means to open libraries and, in direct mode, rdma-core's own.
# Used by the build and, installed, by verbsxConfig.cmake; expects VERBSX_LOADER.

if(TARGET verbsx::rdma-core)
  return()
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
add_library(verbsx::rdma-core INTERFACE IMPORTED GLOBAL)
target_link_libraries(verbsx::rdma-core INTERFACE Threads::Threads ${CMAKE_DL_LIBS})

if(NOT VERBSX_LOADER)
  find_package(PkgConfig REQUIRED)
  # Of other vendors, what is there: releases and distributions differ in that.
  set(verbsx_rdma_modules libibverbs librdmacm libmlx5)
  foreach(vendor IN ITEMS libefa libhns libionic libmana libmlx4)
    pkg_check_modules(VERBSX_${vendor} QUIET ${vendor})
    if(VERBSX_${vendor}_FOUND)
      list(APPEND verbsx_rdma_modules ${vendor})
    endif()
  endforeach()
  pkg_check_modules(VERBSX_RDMA REQUIRED ${verbsx_rdma_modules})
  target_include_directories(verbsx::rdma-core SYSTEM INTERFACE ${VERBSX_RDMA_INCLUDE_DIRS})
  # A program that only names and prints takes nothing from these, and must then start without them. One
  # argument, so that CMake neither reorders nor merges its parts.
  string(REPLACE ";" "," verbsx_rdma_libraries "${VERBSX_RDMA_LINK_LIBRARIES}")
  target_link_libraries(
    verbsx::rdma-core INTERFACE "-Wl,--push-state,--as-needed,${verbsx_rdma_libraries},--pop-state")
endif()
