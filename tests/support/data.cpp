// SPDX-License-Identifier: MIT
#include "support/data.hpp"

namespace loquat_test {

std::uint64_t Data::bits() {
  // Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::int64_t Data::whole(std::int64_t least, std::int64_t most) {
  const std::uint64_t range = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least) + 1;
  const std::uint64_t offset = range == 0 ? bits() : bits() % range;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + offset);
}

float Data::uniform(float least, float most) {
  const float unit = static_cast<float>(bits() >> 40) * 0x1p-24f;
  return least + (most - least) * unit;
}

float Data::normal() {
  float sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform(0, 1);
  return sum;
}

std::vector<float> Data::uniforms(std::size_t n, float least, float most) {
  std::vector<float> values(n);
  for (float& value : values) value = uniform(least, most);
  return values;
}

std::vector<float> Data::normals(std::size_t n, float deviation) {
  std::vector<float> values(n);
  for (float& value : values) value = deviation * normal();
  return values;
}

std::vector<std::byte> Data::bytes(std::size_t n) {
  std::vector<std::byte> values(n);
  for (std::byte& value : values) value = static_cast<std::byte>(bits() >> 56);
  return values;
}

}  // namespace loquat_test
