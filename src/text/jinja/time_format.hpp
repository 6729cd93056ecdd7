// SPDX-License-Identifier: MIT
#ifndef LOQUAT_TEXT_JINJA_TIME_FORMAT_HPP
#define LOQUAT_TEXT_JINJA_TIME_FORMAT_HPP

#include <cstdint>
#include <string_view>

#include "text/jinja/text_builder.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

/// strftime of the C locale (promise H3) for seconds since 1970, in UTC: %a %A %b %B %d %e %H %I %j %m %M %p %S %y %Y
/// %F %T %D %R %Z %%, and %-d, %-m, %-H, %-I, %-M, %-S without the leading zero. Returns 0, or the letter it does not
/// know.
char write_time(TextBuilder& out, std::string_view format, std::int64_t unix_seconds) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_TIME_FORMAT_HPP
