# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# verbsx_release: which release of rdma-core the headers are, such as 44. It decides what the generated code
# may use. VERBSX_RDMA_CORE and VERBSX_RDMA_INCLUDE name another tree of headers than the installed one.
# verbsx_rdma_beside: the folder of the headers, where it is none in which compilers look by themselves.

set(VERBSX_RDMA_CORE "" CACHE STRING "Release of the rdma-core headers (default: as libibverbs.pc says)")
set(VERBSX_RDMA_INCLUDE "" CACHE PATH "Folder of the rdma-core headers (default: the installed ones)")
set(VERBSX_SYMBOLS "" CACHE FILEPATH "What the libraries of VERBSX_RDMA_INCLUDE export, for VERBSX_REGENERATE: .symbols files or version scripts")
set(verbsx_oldest_release 33)

set(verbsx_release "${VERBSX_RDMA_CORE}")
if(verbsx_release STREQUAL "" AND VERBSX_RDMA_INCLUDE)
  # Of the headers themselves, as the generator knows it: libibverbs.pc beside them
  get_filename_component(verbsx_rdma_prefix ${VERBSX_RDMA_INCLUDE} ABSOLUTE)
  get_filename_component(verbsx_rdma_prefix ${verbsx_rdma_prefix} DIRECTORY)
  file(GLOB verbsx_rdma_pc ${verbsx_rdma_prefix}/lib*/pkgconfig/libibverbs.pc ${verbsx_rdma_prefix}/lib*/*/pkgconfig/libibverbs.pc)
  foreach(file IN LISTS verbsx_rdma_pc)
    file(STRINGS ${file} verbsx_rdma_version REGEX "^Version: [0-9]+\\.[0-9]+\\.[0-9]+\\.")
    string(REGEX REPLACE "^Version: [0-9]+\\.[0-9]+\\.([0-9]+).*" "\\1" verbsx_release "${verbsx_rdma_version}")
    break()
  endforeach()
  if(verbsx_release STREQUAL "")
    message(FATAL_ERROR "${VERBSX_RDMA_INCLUDE}: no libibverbs.pc beside it says which release of rdma-core this is: -DVERBSX_RDMA_CORE=NN does")
  endif()
elseif(verbsx_release STREQUAL "")
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
set(verbsx_rdma_beside ${verbsx_rdma_include})
if(verbsx_rdma_beside)
  list(REMOVE_ITEM verbsx_rdma_beside ${CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES})
endif()
message(STATUS "rdma-core headers: release ${verbsx_release} ${verbsx_rdma_include}")
