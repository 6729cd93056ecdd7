// SPDX-License-Identifier: MIT
// Where things lie in a packed panel of 16 rows: sizes and offsets, for packing.cpp and for the kernels of every level.
//
// A panel is a row of groups along k; a group is a header of scales and then its blocks of 32 k:
//
//   | header | block 0 | block 1 | ...      every part is a multiple of 64 bytes; the last group may hold fewer blocks
//
//            blocks a group   header                                                            block
//   Q4_0           2          d [2 blocks][16 rows] f16                               64        low nibbles 256
//   Q4_1           1          d [16] f16, m [16] f16                                  64        low nibbles 256
//   Q5_0           2          d [2][16] f16                                           64        high bits 64, nibbles 256
//   Q8_0           2          d [2][16] f16                                           64        bytes 512
//   Q4_K           8          d [16] f16, dmin [16] f16, sc [8][16] u8, m [8][16] u8  320       low nibbles 256
//   Q6_K           8          d [16] f16, 32 zeros, sc [16][16] i8                    320       high pairs 128, nibbles 256
//
// The 32 k of a block are eight "steps" of 4. The codes of a step are one vector of 64 bytes, byte 4 * row + k % 4:
//   bytes        step s is vector s
//   nibbles      step s is in vector s / 2, in the low nibbles where s is even, in the high ones where it is odd
//   high bits    bit 4 of step s is bit s of one vector
//   high pairs   bits 4 and 5 of step s are bits 2 * (s % 4) and up of vector s / 4
//
// Codes are unsigned, the file's value plus an offset: Q4_0 8, Q5_0 16, Q6_K 32, Q8_0 128, and 0 for Q4_1 and Q4_K.
#ifndef LOQUAT_QUANT_PANEL_LAYOUT_HPP
#define LOQUAT_QUANT_PANEL_LAYOUT_HPP

#include <loquat/config.hpp>

#include <stddef.h>
#include <stdint.h>

namespace loquat::inline LOQUAT_ABI {

inline constexpr size_t kPanelVector = 64;    ///< bytes of one vector: 16 rows x 4 k
inline constexpr size_t kPanelLanes = 16;    ///< rows of a panel

/// Sizes of one quantized type's panel.
struct PanelLayout {
  size_t group_blocks;  ///< blocks of 32 k that share a header
  size_t header_bytes;
  size_t high_bytes;  ///< of one block, before its low codes
  size_t low_bytes;
  int offset;  ///< stored code = value + offset

  constexpr size_t block_bytes() const noexcept { return high_bytes + low_bytes; }
  constexpr size_t group_bytes() const noexcept { return header_bytes + group_blocks * block_bytes(); }
  /// Bytes of a panel of `blocks` blocks.
  constexpr size_t panel_bytes(size_t blocks) const noexcept {
    const size_t headers = (blocks + group_blocks - 1) / group_blocks;
    return headers * header_bytes + blocks * block_bytes();
  }
  constexpr size_t header_at(size_t block) const noexcept { return block / group_blocks * group_bytes(); }
  constexpr size_t block_at(size_t block) const noexcept {
    return header_at(block) + header_bytes + block % group_blocks * block_bytes();
  }
};

inline constexpr PanelLayout kPanelQ4_0{2, 64, 0, 256, 8};
inline constexpr PanelLayout kPanelQ4_1{1, 64, 0, 256, 0};
inline constexpr PanelLayout kPanelQ5_0{2, 64, 64, 256, 16};
inline constexpr PanelLayout kPanelQ8_0{2, 64, 0, 512, 128};
inline constexpr PanelLayout kPanelQ4_K{8, 320, 0, 256, 0};
inline constexpr PanelLayout kPanelQ6_K{8, 320, 128, 256, 32};

// Offsets inside headers.
inline constexpr size_t kHeaderRow = 32;          ///< one f16 for each of 16 rows
inline constexpr size_t kHeaderQ4_1Min = 32;      ///< m of Q4_1
inline constexpr size_t kHeaderQ4_KMin = 32;      ///< dmin of Q4_K
inline constexpr size_t kHeaderSubScales = 64;    ///< sc of Q4_K and Q6_K
inline constexpr size_t kHeaderQ4_KSubMins = 192; ///< m of Q4_K

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_PANEL_LAYOUT_HPP
