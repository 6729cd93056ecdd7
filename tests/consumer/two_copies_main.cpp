// SPDX-License-Identifier: MIT
// A program with two versions of loquat in it: each half sees its own (promise B3).
#include <cstdio>

bool first_copy_works();
bool second_copy_works();
const void* first_copy_address();
const void* second_copy_address();

int main() {
  const bool is_right =
      first_copy_works() && second_copy_works() && first_copy_address() != second_copy_address();
  std::printf("%s\n", is_right ? "works" : "wrong");
  return is_right ? 0 : 1;
}
