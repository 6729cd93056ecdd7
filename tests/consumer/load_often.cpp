// SPDX-License-Identifier: MIT
// Loads and unloads a shared library 100 times and calls one of its functions each time (promise T1).
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  for (int i = 0; i < 100; ++i) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return std::printf("%s\n", dlerror()), 1;
    void* symbol = dlsym(library, argv[2]);
    if (symbol == nullptr) return std::printf("%s\n", dlerror()), 1;
    if (reinterpret_cast<const char* (*)()>(symbol)() == nullptr) return 1;
    if (dlclose(library) != 0) return 1;
  }
  std::printf("works\n");
  return 0;
}
