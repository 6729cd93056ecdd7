// SPDX-License-Identifier: MIT
#include "text/jinja/time_format.hpp"

#include <chrono>

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

constexpr std::string_view kDays[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};

struct Moment {
  int year;
  unsigned month;  ///< 1..12
  unsigned day;    ///< 1..31
  unsigned weekday;
  unsigned day_of_year;  ///< 1..366
  unsigned hour, minute, second;
};

Moment split_moment(std::int64_t unix_seconds) noexcept {
  using namespace std::chrono;
  const sys_seconds time{seconds{unix_seconds}};
  const sys_days date = floor<days>(time);
  const year_month_day calendar{date};
  const hh_mm_ss clock{time - date};
  return {static_cast<int>(calendar.year()),
          static_cast<unsigned>(calendar.month()),
          static_cast<unsigned>(calendar.day()),
          weekday{date}.c_encoding(),
          static_cast<unsigned>((date - sys_days{calendar.year() / January / 1}).count() + 1),
          static_cast<unsigned>(clock.hours().count()),
          static_cast<unsigned>(clock.minutes().count()),
          static_cast<unsigned>(clock.seconds().count())};
}

void write_number(TextBuilder& out, unsigned value, unsigned digits, char padding) noexcept {
  char text[8];
  unsigned n = 0;
  for (; value > 0 || n == 0; value /= 10) text[n++] = static_cast<char>('0' + value % 10);
  for (unsigned i = n; i < digits && padding != '\0'; ++i) out.push(padding);
  while (n > 0) out.push(text[--n]);
}

bool write_field(TextBuilder& out, char letter, const Moment& moment, char padding) noexcept {
  const unsigned hour12 = moment.hour % 12 == 0 ? 12 : moment.hour % 12;
  switch (letter) {
    case 'a': out.append(kDays[moment.weekday].substr(0, 3)); return true;
    case 'A': out.append(kDays[moment.weekday]); return true;
    case 'b':
    case 'h': out.append(kMonths[moment.month - 1].substr(0, 3)); return true;
    case 'B': out.append(kMonths[moment.month - 1]); return true;
    case 'd': write_number(out, moment.day, 2, padding); return true;
    case 'e': write_number(out, moment.day, 2, padding == '0' ? ' ' : padding); return true;
    case 'H': write_number(out, moment.hour, 2, padding); return true;
    case 'I': write_number(out, hour12, 2, padding); return true;
    case 'j': write_number(out, moment.day_of_year, 3, padding); return true;
    case 'm': write_number(out, moment.month, 2, padding); return true;
    case 'M': write_number(out, moment.minute, 2, padding); return true;
    case 'p': out.append(moment.hour < 12 ? "AM" : "PM"); return true;
    case 'S': write_number(out, moment.second, 2, padding); return true;
    case 'y': write_number(out, static_cast<unsigned>(moment.year % 100), 2, padding); return true;
    case 'Y': write_number(out, static_cast<unsigned>(moment.year), 4, padding); return true;
    case 'Z': return true;  // a time without a zone, as the published engine's
    case '%': out.push('%'); return true;
    default: return false;
  }
}

/// The fields that a letter for several stands for, or none.
std::string_view expand(char letter) noexcept {
  switch (letter) {
    case 'F': return "%Y-%m-%d";
    case 'T': return "%H:%M:%S";
    case 'D': return "%m/%d/%y";
    case 'R': return "%H:%M";
    default: return {};
  }
}

}  // namespace

char write_time(TextBuilder& out, std::string_view format, std::int64_t unix_seconds) noexcept {
  const Moment moment = split_moment(unix_seconds);
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out.push(format[i]);
      continue;
    }
    if (++i == format.size()) return '%';
    const bool is_bare = format[i] == '-' && i + 1 < format.size();
    if (is_bare) ++i;
    if (const std::string_view fields = expand(format[i]); !fields.empty()) {
      write_time(out, fields, unix_seconds);
    } else if (!write_field(out, format[i], moment, is_bare ? '\0' : '0')) {
      return format[i];
    }
  }
  return '\0';
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
