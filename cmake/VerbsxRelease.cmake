# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# verbsx_release: which release of rdma-core the headers are, such as 44. It decides what the generated code
# may use. VERBSX_RDMA_CORE and VERBSX_RDMA_INCLUDE name another tree of headers than the installed one.

set(VERBSX_RDMA_CORE "" CACHE STRING "Release of the rdma-core headers (default: as pkg-config says)")
set(VERBSX_RDMA_INCLUDE "" CACHE PATH "Folder of the rdma-core headers (default: the installed ones)")
set(VERBSX_SYMBOLS "" CACHE FILEPATH "What the libraries of VERBSX_RDMA_INCLUDE export, for VERBSX_REGENERATE: .symbols files or version scripts")
set(verbsx_oldest_release 33)

set(verbsx_release "${VERBSX_RDMA_CORE}")
if(verbsx_release STREQUAL "")
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(VERBSX_IBVERBS QUIET libibverbs)
  if(NOT VERBSX_IBVERBS_FOUND)
    message(FATAL_ERROR "The headers of rdma-core are missing: apt-get install libibverbs-dev librdmacm-dev")
  endif()
  # libibverbs 1.14.44.0 is of rdma-core 44.
  if(NOT VERBSX_IBVERBS_VERSION MATCHES "^[0-9]+\\.[0-9]+\\.([0-9]+)")
    message(FATAL_ERROR "No release of rdma-core in the version of libibverbs: ${VERBSX_IBVERBS_VERSION}")
  endif()
  set(verbsx_release ${CMAKE_MATCH_1})
endif()

if(NOT verbsx_release MATCHES "^[0-9]+$" OR verbsx_release LESS verbsx_oldest_release)
  message(FATAL_ERROR "rdma-core ${verbsx_release}: libverbsx needs release ${verbsx_oldest_release} or newer")
endif()

set(verbsx_rdma_include ${VERBSX_RDMA_INCLUDE})
if(verbsx_rdma_include STREQUAL "")
  set(verbsx_rdma_include ${VERBSX_IBVERBS_INCLUDE_DIRS})
endif()
message(STATUS "rdma-core headers: release ${verbsx_release} ${verbsx_rdma_include}")
