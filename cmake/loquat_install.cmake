# Install rules: library, headers, package for find_package(loquat), and pkg-config file. Nothing of loquat's needs is
# needed by who uses it (promise B7), so the package looks for nothing.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(loquat_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/loquat)
install(TARGETS loquat EXPORT loquat_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/loquat DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT loquat_targets NAMESPACE loquat:: FILE loquat-config.cmake DESTINATION ${loquat_package_dir})

# Before 1.0 a minor version may break source, so a package serves only its own minor version.
set(loquat_compatibility SameMajorVersion)
if(PROJECT_VERSION VERSION_LESS 1.0)
  set(loquat_compatibility SameMinorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/loquat-config-version.cmake
  COMPATIBILITY ${loquat_compatibility})
install(FILES ${PROJECT_BINARY_DIR}/loquat-config-version.cmake DESTINATION ${loquat_package_dir})

# A static library is linked with what it needs; a shared one brings it along.
set(loquat_pkgconfig_libraries "")
get_target_property(loquat_type loquat TYPE)
if(loquat_type STREQUAL "STATIC_LIBRARY")
  string(JOIN " " loquat_pkgconfig_libraries -pthread ${LOQUAT_OPENMP_FLAG} -lstdc++)
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/loquat.pc.in ${PROJECT_BINARY_DIR}/loquat.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/loquat.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
