// SPDX-License-Identifier: MIT
// Reads core kinds and container quota from Linux's /sys and /proc. Files are small and read whole into the
// stack.
#include "threading/cpu_resources.hpp"

#if defined(__linux__)

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

namespace loquat::inline LOQUAT_ABI {

namespace {

/// A path in a fixed buffer. One that does not fit becomes empty, which opens nothing.
class PathText {
 public:
  PathText& operator<<(std::string_view part) noexcept {
    if (!fits_ || part.size() >= sizeof text_ - size_) {
      fits_ = false;
      size_ = 0;
    } else {
      std::memcpy(text_ + size_, part.data(), part.size());
      size_ += part.size();
    }
    text_[size_] = '\0';
    return *this;
  }
  PathText& operator<<(std::size_t number) noexcept {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number);
    return *this << std::string_view(digits, static_cast<std::size_t>(end.ptr - digits));
  }
  const char* c_str() const noexcept { return text_; }

 private:
  char text_[768] = {};
  std::size_t size_ = 0;
  bool fits_ = true;
};

/// The start of a file, up to 4 KiB; empty where there is none.
class FileText {
 public:
  explicit FileText(const PathText& path) noexcept {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    for (ssize_t n = 1; n > 0 && size_ < sizeof text_;) {
      n = read(file, text_ + size_, sizeof text_ - size_);
      if (n > 0) size_ += static_cast<std::size_t>(n);
    }
    close(file);
  }
  std::string_view view() const noexcept { return {text_, size_}; }

 private:
  char text_[4096];
  std::size_t size_ = 0;
};

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

/// Takes the text up to `separator` off the front.
std::string_view take_until(std::string_view& text, char separator) noexcept {
  const std::size_t end = text.find(separator);
  const std::string_view head = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return head;
}

template <class Integer>
bool parse_whole(std::string_view text, Integer& value) noexcept {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  return end.ec == std::errc() && end.ptr == text.data() + text.size() && !text.empty();
}

double ratio(std::int64_t quota, std::int64_t period) noexcept {
  return quota > 0 && period > 0 ? static_cast<double>(quota) / static_cast<double>(period) : 0;
}

double read_group_v2(std::string_view root, std::string_view mount, std::string_view group) noexcept {
  return parse_cpu_max(FileText(PathText() << root << mount << group << "/cpu.max").view());
}

double read_group_v1(std::string_view root, std::string_view mount, std::string_view group) noexcept {
  std::int64_t quota = 0;
  std::int64_t period = 0;
  const FileText quota_text(PathText() << root << mount << group << "/cpu.cfs_quota_us");
  const FileText period_text(PathText() << root << mount << group << "/cpu.cfs_period_us");
  if (!parse_whole(trim(quota_text.view()), quota) || !parse_whole(trim(period_text.view()), period)) return 0;
  return ratio(quota, period);
}

using ReadGroup = double (*)(std::string_view root, std::string_view mount, std::string_view group) noexcept;

/// The least quota from `group` up to the root. In a container the group's path may be the host's and not
/// exist here; its ancestors end at "/", which is the container's own group.
double least_up_to_root(ReadGroup read, std::string_view root, std::string_view mount,
                        std::string_view group) noexcept {
  double least = 0;
  if (group == "/") group = {};
  for (;;) {
    const double quota = read(root, mount, group);
    if (quota > 0 && (least == 0 || quota < least)) least = quota;
    if (group.empty()) return least;
    group = group.substr(0, group.rfind('/'));
  }
}

bool lists_controller(std::string_view controllers, std::string_view wanted) noexcept {
  while (!controllers.empty()) {
    if (take_until(controllers, ',') == wanted) return true;
  }
  return false;
}

/// Processors that share a core with `processor`, itself included.
ProcessorSet read_siblings(std::string_view root, std::size_t processor) noexcept {
  ProcessorSet siblings;
  const FileText text(PathText() << root << "/sys/devices/system/cpu/cpu" << processor
                                 << "/topology/thread_siblings_list");
  if (!parse_processor_list(text.view(), siblings)) siblings.reset();
  return siblings;
}

/// Cores that the processors belong to; 0 where the system does not say.
std::uint32_t count_cores(std::string_view root, const ProcessorSet& processors) noexcept {
  ProcessorSet counted;
  std::uint32_t n_cores = 0;
  for (std::size_t i = 0; i < kMostProcessors; ++i) {
    if (!processors[i] || counted[i]) continue;
    const ProcessorSet siblings = read_siblings(root, i);
    if (siblings.none()) return 0;
    counted |= siblings;
    ++n_cores;
  }
  return n_cores;
}

/// ARM: relative speed of a processor, 1024 for the fastest kind; 0: unknown.
std::uint32_t read_capacity(std::string_view root, std::size_t processor) noexcept {
  std::uint32_t capacity = 0;
  const FileText text(PathText() << root << "/sys/devices/system/cpu/cpu" << processor << "/cpu_capacity");
  return parse_whole(trim(text.view()), capacity) ? capacity : 0;
}

/// Processors of the fast kind; none where all are alike. Intel lists its performance cores; on ARM a core
/// with half the speed of the fastest still helps a step more than it delays it, a little core (a third or
/// less) does not.
ProcessorSet find_fast_processors(std::string_view root, const ProcessorSet& allowed) noexcept {
  ProcessorSet fast;
  const FileText intel(PathText() << root << "/sys/devices/cpu_core/cpus");
  if (parse_processor_list(intel.view(), fast)) return fast & allowed;
  fast.reset();
  std::uint32_t fastest = 0;
  for (std::size_t i = 0; i < kMostProcessors; ++i) {
    if (!allowed[i]) continue;
    const std::uint32_t capacity = read_capacity(root, i);
    if (capacity == 0) return {};
    if (capacity > fastest) fastest = capacity;
  }
  for (std::size_t i = 0; i < kMostProcessors; ++i) fast[i] = allowed[i] && read_capacity(root, i) * 2 >= fastest;
  return fast == allowed ? ProcessorSet() : fast;
}

}  // namespace

bool parse_processor_list(std::string_view text, ProcessorSet& set) noexcept {
  set.reset();
  text = trim(text);
  if (text.empty()) return false;
  while (!text.empty()) {
    const std::string_view range = take_until(text, ',');
    const std::size_t dash = range.find('-');
    std::size_t first = 0;
    if (!parse_whole(range.substr(0, dash), first)) return false;
    std::size_t last = first;
    if (dash != std::string_view::npos && !parse_whole(range.substr(dash + 1), last)) return false;
    for (std::size_t i = first; i <= last && i < kMostProcessors; ++i) set[i] = true;
  }
  return true;
}

double parse_cpu_max(std::string_view text) noexcept {
  text = trim(text);
  std::int64_t quota = 0;
  std::int64_t period = 0;
  const std::string_view quota_text = take_until(text, ' ');
  if (!parse_whole(quota_text, quota) || !parse_whole(text, period)) return 0;
  return ratio(quota, period);
}

double read_cgroup_quota(std::string_view root) noexcept {
  double least = 0;
  const auto limit_to = [&least](double quota) noexcept {
    if (quota > 0 && (least == 0 || quota < least)) least = quota;
  };
  // Lines are "0::/path" for v2 and "N:controller,controller:/path" for v1.
  const FileText groups(PathText() << root << "/proc/self/cgroup");
  for (std::string_view rest = groups.view(); !rest.empty();) {
    std::string_view group = take_until(rest, '\n');
    const bool is_v2 = take_until(group, ':') == "0";
    const std::string_view controllers = take_until(group, ':');
    if (is_v2 && controllers.empty()) {
      for (const std::string_view mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
        limit_to(least_up_to_root(read_group_v2, root, mount, group));
      }
    } else if (lists_controller(controllers, "cpu")) {
      for (const std::string_view mount :
           {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpuacct,cpu"}) {
        limit_to(least_up_to_root(read_group_v1, root, mount, group));
      }
    }
  }
  return least;
}

CpuResources read_linux_resources(std::string_view root, const ProcessorSet& allowed) noexcept {
  const ProcessorSet fast = find_fast_processors(root, allowed);
  CpuResources resources;
  resources.affinity_cores = static_cast<std::uint32_t>(allowed.count());
  resources.quota_cores = read_cgroup_quota(root);
  resources.physical_cores = count_cores(root, allowed);
  if (fast.any()) {
    const std::uint32_t cores = count_cores(root, fast);
    resources.performance_cores = cores != 0 ? cores : static_cast<std::uint32_t>(fast.count());
  }
  return resources;
}

}  // namespace loquat::inline LOQUAT_ABI

#endif
