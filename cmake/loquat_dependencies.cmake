# Private dependencies: a target that exists, then the system's package, then FetchContent where LOQUAT_FETCH allows it.
# No consumer needs any of them (promise B7).

if(LOQUAT_FETCH)
  include(FetchContent)
endif()

# fmt: headers only; src/base/error.cpp compiles it into a namespace of our own.
if(NOT TARGET fmt::fmt)
  find_package(fmt QUIET)
endif()
if(NOT TARGET fmt::fmt AND LOQUAT_FETCH)
  FetchContent_Declare(fmt GIT_REPOSITORY https://github.com/fmtlib/fmt.git GIT_TAG 9.1.0)
  FetchContent_MakeAvailable(fmt)
endif()
if(NOT TARGET fmt::fmt)
  message(FATAL_ERROR "loquat needs fmt: install it (Debian: libfmt-dev), or set LOQUAT_FETCH=ON")
endif()

# xsimd: the header only. Debian's exported target does not link, so the header is looked for.
if(TARGET xsimd)
  get_target_property(LOQUAT_XSIMD_INCLUDE_DIR xsimd INTERFACE_INCLUDE_DIRECTORIES)
else()
  find_path(LOQUAT_XSIMD_INCLUDE_DIR xsimd/xsimd.hpp)
endif()
if(NOT LOQUAT_XSIMD_INCLUDE_DIR AND LOQUAT_FETCH)
  FetchContent_Declare(xsimd GIT_REPOSITORY https://github.com/xtensor-stack/xsimd.git GIT_TAG 13.2.0)
  FetchContent_MakeAvailable(xsimd)
  get_target_property(LOQUAT_XSIMD_INCLUDE_DIR xsimd INTERFACE_INCLUDE_DIRECTORIES)
endif()
if(NOT LOQUAT_XSIMD_INCLUDE_DIR)
  message(FATAL_ERROR "loquat needs xsimd: install it (Debian: libxsimd-dev), or set LOQUAT_FETCH=ON")
endif()
mark_as_advanced(LOQUAT_XSIMD_INCLUDE_DIR)

find_package(Threads REQUIRED)
if(LOQUAT_OPENMP STREQUAL "AUTO")
  find_package(OpenMP QUIET COMPONENTS CXX)
elseif(LOQUAT_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
endif()

function(loquat_link_dependencies target)
  target_include_directories(${target} SYSTEM PRIVATE
    $<BUILD_INTERFACE:$<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:Threads::Threads>)
endfunction()
