// SPDX-License-Identifier: MIT
// A user's program, frozen at the first release (promise I3): it compiles and works with every later version.
#include <loquat/loquat.hpp>

#include <cstdio>

int main() {
  std::size_t n_available = 0;
  for (const loquat::LevelInfo& level : loquat::levels()) n_available += level.is_available ? 1 : 0;
  const auto no_level = loquat::parse_level("no such level");
  const auto no_file = loquat::Model::load("no such file.gguf", {.threads = {.count = 1}});
  const bool is_right = n_available > 0 && !no_level && no_level.error().code() == loquat::ErrorCode::invalid_argument &&
                        !no_file && no_file.error().code() == loquat::ErrorCode::io;
  std::printf("%s: %s\n", loquat::version(), is_right ? "works" : "wrong");
  return is_right ? 0 : 1;
}
