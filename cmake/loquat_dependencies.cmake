# Private dependencies: a target that exists, then the system's package, then FetchContent where LOQUAT_FETCH allows it.
# No consumer needs any of them (promise B7). Found by our own searches and not by find_package, whose results would stay
# in the parent's cache under names that are not ours (promise B1).

if(LOQUAT_FETCH)
  include(FetchContent)
endif()

# loquat_find_headers(VARIABLE TARGET HEADER DEBIAN_PACKAGE GIT_REPOSITORY GIT_TAG): the include folder of a library of
# which only headers are used.
function(loquat_find_headers variable target header package repository tag)
  if(NOT TARGET ${target})
    find_path(${variable} ${header} DOC "Folder of ${header}")
    mark_as_advanced(${variable})
    if(${variable})
      return()
    endif()
    if(NOT LOQUAT_FETCH)
      message(FATAL_ERROR "loquat needs <${header}>: install it (Debian: ${package}), or set LOQUAT_FETCH=ON")
    endif()
    string(REGEX REPLACE ":.*" "" name ${target})
    FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag})
    FetchContent_MakeAvailable(${name})
  endif()
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set(${variable} "${folders}" PARENT_SCOPE)
endfunction()

# fmt: src/base/error.cpp compiles it into a namespace of our own.
loquat_find_headers(LOQUAT_FMT_INCLUDE_DIR fmt::fmt fmt/core.h libfmt-dev https://github.com/fmtlib/fmt.git 9.1.0)
loquat_find_headers(LOQUAT_XSIMD_INCLUDE_DIR xsimd xsimd/xsimd.hpp libxsimd-dev
  https://github.com/xtensor-stack/xsimd.git 13.2.0)

# LOQUAT_OPENMP_FLAG: the one flag that compiles and links OpenMP with GCC and clang, or empty.
set(LOQUAT_OPENMP_FLAG "")
if(LOQUAT_OPENMP AND NOT MSVC)
  if(NOT DEFINED LOQUAT_OPENMP_WORKS)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/openmp_probe.cpp
      "#include <omp.h>\nint main() { return omp_get_max_threads() > 0 ? 0 : 1; }\n")
    try_compile(LOQUAT_OPENMP_WORKS ${CMAKE_CURRENT_BINARY_DIR}/openmp_probe
      ${CMAKE_CURRENT_BINARY_DIR}/openmp_probe.cpp
      COMPILE_DEFINITIONS -fopenmp LINK_LIBRARIES -fopenmp)
  endif()
  if(LOQUAT_OPENMP_WORKS)
    set(LOQUAT_OPENMP_FLAG -fopenmp)
  endif()
endif()
if(LOQUAT_OPENMP AND NOT LOQUAT_OPENMP STREQUAL "AUTO" AND NOT LOQUAT_OPENMP_FLAG)
  message(FATAL_ERROR "LOQUAT_OPENMP is ${LOQUAT_OPENMP}, and -fopenmp does not work (Debian: libgomp1 or libomp-dev)")
endif()

function(loquat_link_dependencies target)
  target_include_directories(${target} SYSTEM PRIVATE $<BUILD_INTERFACE:${LOQUAT_FMT_INCLUDE_DIR}>)
  if(UNIX)
    target_link_libraries(${target} PRIVATE -pthread)
  endif()
endfunction()
