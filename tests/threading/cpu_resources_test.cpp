// SPDX-License-Identifier: MIT
// How many threads are used by default, and how machine and container are read.
#include "threading/cpu_resources.hpp"

#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "support/catch.hpp"

using namespace loquat;
namespace fs = std::filesystem;

namespace {

/// A folder that stands for the root of a machine.
class FakeMachine {
 public:
  FakeMachine()
      : root_(fs::temp_directory_path() /
              ("loquat_machine_" + std::to_string(getpid()) + "_" + std::to_string(counter_++))) {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~FakeMachine() { fs::remove_all(root_); }
  FakeMachine(const FakeMachine&) = delete;
  FakeMachine& operator=(const FakeMachine&) = delete;

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void write_siblings(int processor, const std::string& siblings) const {
    write("sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/thread_siblings_list", siblings);
  }
  std::string root() const { return root_.string(); }

 private:
  static inline int counter_ = 0;
  fs::path root_;
};

ProcessorSet processors(std::string_view list) {
  ProcessorSet set;
  REQUIRE(parse_processor_list(list, set));
  return set;
}

}  // namespace

TEST_CASE("the default thread count is the least of what is known, and at least 1 (T3)") {
  struct Case {
    CpuResources resources;
    std::uint32_t expected;
  };
  const Case cases[] = {
      {{}, 1},
      {{.affinity_cores = 8}, 8},
      {{.affinity_cores = 96, .quota_cores = 7.65, .physical_cores = 48}, 7},
      {{.affinity_cores = 96, .quota_cores = 0.5}, 1},
      {{.affinity_cores = 96, .quota_cores = 0.99}, 1},
      {{.affinity_cores = 4, .quota_cores = 2.0}, 2},
      {{.quota_cores = 3.999}, 3},
      {{.affinity_cores = 3, .quota_cores = 0, .physical_cores = 3}, 3},
      {{.affinity_cores = 32, .performance_cores = 8, .physical_cores = 24}, 8},
      {{.affinity_cores = 16, .physical_cores = 8}, 8},
      {{.affinity_cores = 2, .performance_cores = 8, .physical_cores = 24}, 2},
      {{.affinity_cores = 4, .quota_cores = -1}, 4},
      {{.affinity_cores = 4, .quota_cores = std::numeric_limits<double>::quiet_NaN()}, 4},
      {{.affinity_cores = 4, .quota_cores = std::numeric_limits<double>::infinity()}, 4},
      {{.affinity_cores = 4, .quota_cores = 1e300}, 4},
  };
  for (const Case& c : cases) {
    INFO("affinity " << c.resources.affinity_cores << ", quota " << c.resources.quota_cores << ", performance "
                     << c.resources.performance_cores << ", physical " << c.resources.physical_cores);
    CHECK(default_thread_count(c.resources) == c.expected);
  }
}

TEST_CASE("processor lists are read, and broken ones refused (T3)") {
  CHECK(processors("0").count() == 1);
  CHECK(processors("0-3,8,10-11\n").count() == 7);
  CHECK(processors("4090-9999999").count() == 6);
  ProcessorSet set;
  for (const char* text : {"", "\n", "a", "1-", "-1", "1,,2", "1-2-3", "0x1", " 1", "99999999999999999999999"}) {
    INFO("'" << text << "'");
    CHECK_FALSE(parse_processor_list(text, set));
  }
}

TEST_CASE("cpu.max is read, and anything else is no quota (T3)") {
  CHECK(parse_cpu_max("765000 100000\n") == 7.65);
  CHECK(parse_cpu_max("50000 100000") == 0.5);
  for (const char* text : {"max 100000\n", "", "100000", "100000 0", "-1 100000", "1 2 3", "x 100000"}) {
    INFO("'" << text << "'");
    CHECK(parse_cpu_max(text) == 0);
  }
}

TEST_CASE("a v2 quota is the least from the own group up to the root (T3)") {
  const FakeMachine machine;
  machine.write("proc/self/cgroup", "0::/kubepods/pod7/box\n");
  CHECK(read_cgroup_quota(machine.root()) == 0);
  machine.write("sys/fs/cgroup/kubepods/pod7/box/cpu.max", "max 100000\n");
  CHECK(read_cgroup_quota(machine.root()) == 0);
  machine.write("sys/fs/cgroup/kubepods/cpu.max", "1600000 100000\n");
  CHECK(read_cgroup_quota(machine.root()) == 16);
  machine.write("sys/fs/cgroup/kubepods/pod7/cpu.max", "765000 100000\n");
  CHECK(read_cgroup_quota(machine.root()) == 7.65);
}

TEST_CASE("inside a container the quota is at the mount's root (T3)") {
  const FakeMachine machine;
  machine.write("proc/self/cgroup", "0::/\n");
  machine.write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  CHECK(read_cgroup_quota(machine.root()) == 0.5);
}

TEST_CASE("a v1 quota is read, also where the group's path is the host's (T3)") {
  const FakeMachine machine;
  machine.write("proc/self/cgroup", "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n0::/\n");
  machine.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  machine.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  CHECK(read_cgroup_quota(machine.root()) == 0);
  machine.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000\n");
  CHECK(read_cgroup_quota(machine.root()) == 2.5);
}

TEST_CASE("an affinity of 3 of 96 processors gives 3 threads (T3)") {
  const FakeMachine machine;
  for (int i = 0; i < 96; ++i) {
    machine.write_siblings(i, std::to_string(i % 48) + "," + std::to_string(i % 48 + 48) + "\n");
  }
  const CpuResources three = read_linux_resources(machine.root(), processors("5,7,9"));
  CHECK(three.affinity_cores == 3);
  CHECK(three.physical_cores == 3);
  CHECK(default_thread_count(three) == 3);
  CHECK(default_thread_count(read_linux_resources(machine.root(), processors("5,53,9"))) == 2);
  CHECK(default_thread_count(read_linux_resources(machine.root(), processors("0-95"))) == 48);
}

TEST_CASE("8 performance cores with two threads and 16 efficiency cores give 8 threads (T3)") {
  const FakeMachine machine;
  machine.write("sys/devices/cpu_core/cpus", "0-15\n");
  machine.write("sys/devices/cpu_atom/cpus", "16-31\n");
  for (int i = 0; i < 16; ++i) {
    machine.write_siblings(i, std::to_string(i / 2 * 2) + "-" + std::to_string(i / 2 * 2 + 1) + "\n");
  }
  for (int i = 16; i < 32; ++i) machine.write_siblings(i, std::to_string(i) + "\n");
  const CpuResources all = read_linux_resources(machine.root(), processors("0-31"));
  CHECK(all.performance_cores == 8);
  CHECK(all.physical_cores == 24);
  CHECK(default_thread_count(all) == 8);
  CHECK(default_thread_count(read_linux_resources(machine.root(), processors("16-31"))) == 16);
  CHECK(default_thread_count(read_linux_resources(machine.root(), processors("0-3,16-31"))) == 2);
}

TEST_CASE("little cores of an ARM machine are left out, middle ones are not (T3)") {
  const FakeMachine machine;
  const char* capacities[] = {"325", "325", "325", "325", "870", "870", "870", "1024"};
  for (int i = 0; i < 8; ++i) {
    machine.write("sys/devices/system/cpu/cpu" + std::to_string(i) + "/cpu_capacity", capacities[i]);
    machine.write_siblings(i, std::to_string(i));
  }
  CHECK(default_thread_count(read_linux_resources(machine.root(), processors("0-7"))) == 4);
  CHECK(default_thread_count(read_linux_resources(machine.root(), processors("0-3"))) == 4);
}

TEST_CASE("a machine that says nothing leaves its numbers unknown (T3)") {
  const FakeMachine machine;
  const CpuResources none = read_linux_resources(machine.root(), processors("0-3"));
  CHECK(none.affinity_cores == 4);
  CHECK(none.quota_cores == 0);
  CHECK(none.physical_cores == 0);
  CHECK(none.performance_cores == 0);
  CHECK(default_thread_count(none) == 4);
}

TEST_CASE("this machine's affinity is read and follows the mask (T3)") {
  cpu_set_t usual;
  REQUIRE(sched_getaffinity(0, sizeof usual, &usual) == 0);
  CHECK(query_cpu_resources().affinity_cores == static_cast<std::uint32_t>(CPU_COUNT(&usual)));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (!CPU_ISSET(i, &usual)) continue;
    CPU_SET(i, &one);
    break;
  }
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  const CpuResources resources = query_cpu_resources();
  sched_setaffinity(0, sizeof usual, &usual);
  CHECK(resources.affinity_cores == 1);
  CHECK(default_thread_count(resources) == 1);
}
