// SPDX-License-Identifier: MIT
// One half of the program with two copies; HALF is `first` or `second`, LOQUAT_ABI the copy's own.
#include <loquat/loquat.hpp>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

bool JOIN(HALF, _copy_works)() {
  const auto level = loquat::parse_level("avx9");
  const auto model = loquat::Model::load("no such file.gguf");
  return !level && !level.error().message().empty() && !model && model.error().code() == loquat::ErrorCode::io;
}

const void* JOIN(HALF, _copy_address)() { return reinterpret_cast<const void*>(&loquat::best_level); }
