# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Installed: libraries, headers, libverbsx.pc and what find_package(verbsx) reads. No file names a folder of the
# machine that built it, so that the whole can be moved; but that of other headers of rdma-core, which programs need
# as well.

include(CMakePackageConfigHelpers)
set(verbsx_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/verbsx)

install(
  TARGETS verbsx verbsx-static
  EXPORT verbsxTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${verbsx_runtime_headers} ${verbsx_config} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/verbsx)
# As a folder, since a group of headers that is no committed one has a file of its own there
install(DIRECTORY ${verbsx_generated}/include/verbsx DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# rdma-core's API as data, of all releases whatever headers this was generated from
install(FILES ${PROJECT_SOURCE_DIR}/generated/api.json ${PROJECT_SOURCE_DIR}/docs/api.schema.json
        DESTINATION ${CMAKE_INSTALL_DATADIR}/verbsx)

# The guide, and what it leads to
install(
  CODE "
  set(verbsx_source \"${PROJECT_SOURCE_DIR}\")
  set(verbsx_pages \"${PROJECT_BINARY_DIR}/pages\")
  set(verbsx_doc \"${CMAKE_INSTALL_DOCDIR}\")
  set(verbsx_include \"${CMAKE_INSTALL_INCLUDEDIR}\")
  set(verbsx_emu \"${VERBSX_BUILD_EMU}\")")
install(SCRIPT cmake/VerbsxPages.cmake)

configure_package_config_file(cmake/verbsxConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/verbsxConfig.cmake
                              INSTALL_DESTINATION ${verbsx_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/verbsxConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/verbsxConfig.cmake
              ${PROJECT_BINARY_DIR}/cmake/verbsxConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/VerbsxRdmaCore.cmake DESTINATION ${verbsx_cmake_dir})
install(EXPORT verbsxTargets NAMESPACE verbsx:: DESTINATION ${verbsx_cmake_dir})

# A static program needs these as well; a shared one has them from libverbsx.so itself.
set(verbsx_pc_requires "")
if(NOT VERBSX_LOADER)
  string(REPLACE ";" " " verbsx_pc_requires "${verbsx_rdma_modules}")
endif()
set(verbsx_pc_libs "-pthread")
foreach(verbsx_library IN LISTS CMAKE_DL_LIBS)
  string(APPEND verbsx_pc_libs " -l${verbsx_library}")
endforeach()

set(verbsx_pc_cflags "")
foreach(verbsx_folder IN LISTS verbsx_rdma_beside)
  string(APPEND verbsx_pc_cflags " -isystem ${verbsx_folder}")
endforeach()

# From the folder of libverbsx.pc back to the prefix, however deep the library folder is.
file(RELATIVE_PATH verbsx_pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" verbsx_pc_prefix "${verbsx_pc_prefix}")
configure_file(cmake/libverbsx.pc.in ${PROJECT_BINARY_DIR}/cmake/libverbsx.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/libverbsx.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
