// SPDX-License-Identifier: MIT
// Vocabulary of the quantized kernels in plain C, for machines without one of their own: one vector is 4 rows. Loops over
// its elements are what compilers turn into vector instructions by themselves.
#ifndef LOQUAT_KERNELS_BASELINE_QUANTIZED_PLAIN_HPP
#define LOQUAT_KERNELS_BASELINE_QUANTIZED_PLAIN_HPP

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/baseline/four_plain.hpp"
#include "kernels/generic/compiler.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::baseline {
namespace {

struct QuantizedIntegers {
  struct Bytes {
    uint8_t at[16];
  };
  struct Int {
    int32_t lane[4];
  };
  using F32 = FourLanes::F32;

  // -- Bytes: shifts are of bytes, the callers' masks make them equal to shifts of 16 bits --
  static Bytes load_bytes(const uint8_t* p) noexcept {
    Bytes v;
    memcpy(v.at, p, sizeof v.at);
    return v;
  }
  static void store_bytes(uint8_t* p, Bytes v) noexcept { memcpy(p, v.at, sizeof v.at); }
  static Bytes splat_byte(uint8_t value) noexcept {
    Bytes v;
    memset(v.at, value, sizeof v.at);
    return v;
  }
  static Bytes and_bytes(Bytes a, Bytes b) noexcept {
    for (int i = 0; i < 16; ++i) a.at[i] = a.at[i] & b.at[i];
    return a;
  }
  static Bytes or_bytes(Bytes a, Bytes b) noexcept {
    for (int i = 0; i < 16; ++i) a.at[i] = a.at[i] | b.at[i];
    return a;
  }
  static Bytes shift_left(Bytes v, int n) noexcept {
    for (int i = 0; i < 16; ++i) v.at[i] = static_cast<uint8_t>(v.at[i] << n);
    return v;
  }
  static Bytes shift_right(Bytes v, int n) noexcept {
    for (int i = 0; i < 16; ++i) v.at[i] = static_cast<uint8_t>(v.at[i] >> n);
    return v;
  }
  static void prefetch(const uint8_t*) noexcept {}

  // -- Whole numbers --
  static Int zero_int() noexcept { return {{0, 0, 0, 0}}; }
  static Int add_int(Int a, Int b) noexcept {
    for (int i = 0; i < 4; ++i) a.lane[i] += b.lane[i];
    return a;
  }
  static Int max_int(Int a, Int b) noexcept {
    for (int i = 0; i < 4; ++i) a.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
    return a;
  }
  static Int magnitude(F32 v) noexcept {
    Int bits;
    memcpy(bits.lane, v.lane, sizeof bits.lane);
    for (int32_t& lane : bits.lane) lane &= 0x7FFFFFFF;
    return bits;
  }
  static int32_t reduce_max(Int v) noexcept {
    int32_t most = v.lane[0];
    for (const int32_t lane : v.lane) most = lane > most ? lane : most;
    return most;
  }
  static int32_t reduce_add(Int v) noexcept { return v.lane[0] + v.lane[1] + v.lane[2] + v.lane[3]; }
  /// Nearest whole number, even at ties, within -127..127; NaN is -127.
  static Int round_to_code(F32 v) noexcept {
    Int code;
    for (int i = 0; i < 4; ++i) {
      const float low = v.lane[i] > -127.0f ? v.lane[i] : -127.0f;
      code.lane[i] = static_cast<int32_t>(nearbyintf(low < 127.0f ? low : 127.0f));
    }
    return code;
  }
  static void store_codes(int8_t* p, Int v) noexcept {
    for (int i = 0; i < 4; ++i) p[i] = static_cast<int8_t>(v.lane[i]);
  }

  // -- Floats from whole numbers --
  static F32 to_float(Int v) noexcept {
    F32 y;
    for (int i = 0; i < 4; ++i) y.lane[i] = static_cast<float>(v.lane[i]);
    return y;
  }
  static F32 load_u8(const uint8_t* p) noexcept { return to_float({{p[0], p[1], p[2], p[3]}}); }
  static F32 load_i8(const uint8_t* p) noexcept {
    int8_t v[4];
    memcpy(v, p, sizeof v);
    return to_float({{v[0], v[1], v[2], v[3]}});
  }

  // -- Products of codes --
  template <int kOffset>
  struct DotOf {
    Int sum;

    LOQUAT_KERNEL_INLINE void start(const uint8_t*) noexcept { sum = zero_int(); }
    LOQUAT_KERNEL_INLINE void step(size_t, Bytes code, const uint8_t* four) noexcept {
      int8_t x[4];
      memcpy(x, four, sizeof x);
      for (int row = 0; row < 4; ++row) {
        for (int i = 0; i < 4; ++i) sum.lane[row] += (code.at[row * 4 + i] - kOffset) * x[i];
      }
    }
    LOQUAT_KERNEL_INLINE Int total(const uint8_t*) const noexcept { return sum; }
  };
};

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels::baseline

#endif  // LOQUAT_KERNELS_BASELINE_QUANTIZED_PLAIN_HPP
