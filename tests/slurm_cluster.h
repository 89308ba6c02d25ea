#pragma once
// A real Slurm cluster of one machine, on loopback, in a temporary folder: munged, slurmctld and
// slurmd, gone with the object. It needs no name, no key and no configuration of the machine's.

#include <netdb.h>
#include <pwd.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "base/conversation.h"
#include "base/server_for_tests.h"

namespace hone::testing {

class SlurmCluster {
 public:
  struct Task {
    std::string name;    // "3_0"
    std::string state;   // RUNNING
    std::string folder;  // from which it was submitted
  };

  // Why there can be no cluster here; empty where there can.
  static std::string obstacle() {
    for (const char* name : {"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol"}) {
      // Without a cluster's configuration some of them end with an error; that they start is
      // enough.
      if (!run_process({name, "-V"})) return std::string(name) + " is not installed";
    }
    // As Slurm asks: it then does not even know 127.0.0.1.
    addrinfo how{};
    how.ai_family = AF_INET;
    how.ai_flags = AI_ADDRCONFIG;
    addrinfo* found = nullptr;
    if (::getaddrinfo("127.0.0.1", nullptr, &how, &found) != 0)
      return "this machine has no address but that of loopback, and Slurm needs one";
    ::freeaddrinfo(found);
    return {};
  }

  SlurmCluster() {
    for (const char* name : {"state", "spool", "munge"})
      std::filesystem::create_directories(folder_.path() / name);
    start_munge();
    HONE_CHECK(write_file(config(), configuration(controller_port_)).has_value());
    // Found out by itself, it is what containers do not let slurmd have. This one it does not use.
    HONE_CHECK(write_file(folder_.path() / "cgroup.conf", "CgroupPlugin=cgroup/v1\n").has_value());
    controller_ = started({"slurmctld", "-D", "-c"});
    node_ = started({"slurmd", "-D"});
    is_up_ = wait_until([&] { return is_idle(); });
  }

  // A task whose end no controller takes down would try to tell it for ever.
  ~SlurmCluster() {
    if (!is_up_) return;
    said({"scancel", "--user=" + user()});
    wait_until([&] { return is_idle(); });
  }

  bool is_up() const { return is_up_; }
  // What its servers wrote.
  std::string logs() const {
    std::string all;
    for (const char* name : {"slurmctld.log", "slurmd.log", "munge/log"})
      all += read_file(folder_.path() / name).value_or("");
    return all;
  }
  std::vector<std::uint16_t> ports() const { return {controller_port_, node_port_}; }

  // Who it is that asks: set for every program that talks to the cluster.
  std::pair<std::string, std::string> environment() const {
    return {"SLURM_CONF", config().string()};
  }
  // A configuration whose controller nobody has started.
  std::pair<std::string, std::string> environment_without_controller() const {
    const Path file = folder_.path() / "nobody.conf";
    // Programs try for as long as that to reach it.
    const std::string text = configuration(unused_port()) + "MessageTimeout=2\n";
    HONE_CHECK(write_file(file, text).has_value());
    return {"SLURM_CONF", file.string()};
  }

  // Tasks of a closed cluster wait.
  void close() const { set_partitions("DOWN"); }
  void open() const { set_partitions("UP"); }

  // All that Slurm remembers, which is all there ever were.
  std::vector<Task> tasks() const {
    const std::string answer = said({"squeue", "-h", "-r", "-t", "all", "-o", "%F_%K %T %Z"});
    std::vector<Task> tasks;
    for (const std::string& line : split(answer, '\n')) {
      const std::size_t state = line.find(' ');
      const std::size_t folder = line.find(' ', state + 1);
      if (state == std::string::npos || folder == std::string::npos) continue;
      tasks.push_back({line.substr(0, state), line.substr(state + 1, folder - state - 1),
                       std::string(trimmed(line.substr(folder)))});
    }
    return tasks;
  }
  void cancel(const std::string& task) const { said({"scancel", task}); }

  template <class Holds>
  static bool wait_until(Holds holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < end) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }

 private:
  Path config() const { return folder_.path() / "slurm.conf"; }

  bool is_idle() const { return said({"sinfo", "-h", "-o", "%T", "-p", "main"}) == "idle"; }
  static std::string user() { return ::getpwuid(::geteuid())->pw_name; }
  static std::uint16_t unused_port() {
    return TestServer([](Peer&) {}).port();
  }

  std::string said(const std::vector<std::string>& words) const {
    ProcessOptions options;
    options.environment = {environment()};
    const auto end = run_process(words, options);
    return end ? std::string(trimmed(end->standard_output)) : std::string();
  }

  std::unique_ptr<Conversation> started(const std::vector<std::string>& words) const {
    ProcessOptions options;
    options.environment = {environment(), {"LD_PRELOAD", HONE_ON_LOOPBACK}};
    return std::make_unique<Conversation>(*Conversation::start(words, options));
  }

  void start_munge() {
    const Path own = folder_.path() / "munge";
    const auto in = [&](const char* name) { return (own / name).string(); };
    std::string key;
    for (int i = 0; i < 128; ++i) key += static_cast<char>('a' + ::getpid() * (i + 7) % 26);
    HONE_CHECK(write_file(own / "key", key).has_value());
    using std::filesystem::perms;
    std::filesystem::permissions(own / "key", perms::owner_read | perms::owner_write);
    std::filesystem::permissions(folder_.path(),
                                 perms::owner_all | perms::group_exec | perms::others_exec);
    munge_ =
        started({"munged", "--foreground", "--force", "--num-threads=2", "--origin=127.0.0.1",
                 "--key-file=" + in("key"), "--socket=" + in("socket"), "--pid-file=" + in("pid"),
                 "--log-file=" + in("log"), "--seed-file=" + in("seed")});
    HONE_CHECK(wait_until([&] { return std::filesystem::exists(own / "socket"); }));
  }

  std::string configuration(std::uint16_t controller_port) const {
    const std::string at = folder_.path().string();
    return "ClusterName=test\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort=" +
           std::to_string(controller_port) + "\nSlurmdPort=" + std::to_string(node_port_) +
           "\nSlurmUser=" + user() + "\nSlurmdUser=" + user() +
           "\nAuthType=auth/munge\nAuthInfo=socket=" + at +
           "/munge/socket\nCredType=cred/munge\nStateSaveLocation=" + at +
           "/state\nSlurmdSpoolDir=" + at + "/spool\nSlurmctldPidFile=" + at +
           "/slurmctld.pid\nSlurmdPidFile=" + at + "/slurmd.pid\nSlurmctldLogFile=" + at +
           "/slurmctld.log\nSlurmdLogFile=" + at +
           "/slurmd.log\nSlurmctldDebug=error\nSlurmdDebug=error\nMailProg=/bin/true\n"
           "SlurmdParameters=config_overrides\nKillWait=1\nMinJobAge=3600\n"
           "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
           "JobAcctGatherType=jobacct_gather/none\n"
           "AccountingStorageType=accounting_storage/none\nSelectType=select/cons_tres\n"
           "SelectTypeParameters=CR_Core\nSwitchType=switch/none\nMpiDefault=none\n"
           "SchedulerParameters=batch_sched_delay=0,sched_interval=1\nReturnToService=2\n"
           "NodeName=localhost NodeAddr=127.0.0.1 CPUs=4 RealMemory=1000 State=UNKNOWN\n"
           "PartitionName=main Nodes=localhost Default=YES State=UP\n"
           "PartitionName=npus Nodes=localhost State=UP\n";
  }

  void set_partitions(const std::string& state) const {
    for (const char* name : {"main", "npus"})
      said({"scontrol", "update", "PartitionName=" + std::string(name), "State=" + state});
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("slurm");
  std::uint16_t controller_port_ = unused_port();
  std::uint16_t node_port_ = unused_port();
  std::unique_ptr<Conversation> munge_;
  std::unique_ptr<Conversation> controller_;
  std::unique_ptr<Conversation> node_;
  bool is_up_ = false;
};

}  // namespace hone::testing
