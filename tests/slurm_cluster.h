#pragma once
// A real Slurm cluster of one machine, on loopback, in a temporary folder: munged, slurmctld and
// slurmd, gone with the object.

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
  // Empty where all programs are there.
  static std::string missing_program() {
    for (const char* name : {"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol"}) {
      // Without a cluster's configuration some of them end with an error; that they start is enough.
      if (!run_process({name, "-V"})) return name;
    }
    return {};
  }

  SlurmCluster() {
    port_ = TestServer([](Peer&) {}).port();
    for (const char* name : {"state", "spool", "munge"})
      std::filesystem::create_directories(folder_.path() / name);
    start_munge();
    HONE_CHECK(write_file(config(), configuration(port_)).has_value());
    controller_ = started({"slurmctld", "-D", "-c"});
    node_ = started({"slurmd", "-D"});
    HONE_CHECK(wait_until([&] { return said({"sinfo", "-h", "-o", "%T"}) == "idle"; }));
  }

  // Who it is that asks: set for every program that talks to the cluster.
  std::pair<std::string, std::string> environment() const {
    return {"SLURM_CONF", config().string()};
  }
  // A configuration whose controller nobody has started.
  std::pair<std::string, std::string> environment_without_controller() const {
    const Path file = folder_.path() / "nobody.conf";
    HONE_CHECK(write_file(file, configuration(TestServer([](Peer&) {}).port())).has_value());
    return {"SLURM_CONF", file.string()};
  }

  // Tasks of a closed cluster wait.
  void close() { set_partitions("DOWN"); }
  void open() { set_partitions("UP"); }

  // "3_0 RUNNING" of all tasks there ever were, one with another of that state.
  std::vector<std::string> tasks(const std::string& states = "all") const {
    const std::string answer = said({"squeue", "-h", "-r", "-t", states, "-o", "%F_%K"});
    std::vector<std::string> names;
    for (const std::string& name : split(answer, '\n'))
      if (!name.empty()) names.push_back(name);
    return names;
  }
  void cancel(const std::string& task) const { said({"scancel", task}); }

  template <class Holds>
  static bool wait_until(Holds holds) {
    for (int i = 0; i < 3000; ++i) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }

 private:
  Path config() const { return folder_.path() / "slurm.conf"; }

  std::string said(const std::vector<std::string>& words) const {
    ProcessOptions options;
    options.environment = {environment()};
    const auto end = run_process(words, options);
    return end ? std::string(trimmed(end->standard_output)) : std::string();
  }

  std::unique_ptr<Conversation> started(const std::vector<std::string>& words) const {
    ProcessOptions options;
    options.environment = {environment()};
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
        started({"munged", "--foreground", "--force", "--num-threads=2", "--key-file=" + in("key"),
                 "--socket=" + in("socket"), "--pid-file=" + in("pid"), "--log-file=" + in("log"),
                 "--seed-file=" + in("seed")});
    HONE_CHECK(wait_until([&] { return std::filesystem::exists(own / "socket"); }));
  }

  std::string configuration(std::uint16_t controller_port) const {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    const std::string host = split(name, '.').front();
    const std::string user = ::getpwuid(::geteuid())->pw_name;
    const std::string at = folder_.path().string();
    const std::uint16_t node_port = TestServer([](Peer&) {}).port();
    return "ClusterName=test\nSlurmctldHost=" + host +
           "(127.0.0.1)\nSlurmctldPort=" + std::to_string(controller_port) +
           "\nSlurmdPort=" + std::to_string(node_port) +
           "\nCommunicationParameters=NoInAddrAny,NoCtldInAddrAny\nSlurmUser=" + user +
           "\nSlurmdUser=" + user + "\nAuthType=auth/munge\nAuthInfo=socket=" + at +
           "/munge/socket\nCredType=cred/munge\nStateSaveLocation=" + at +
           "/state\nSlurmdSpoolDir=" + at + "/spool\nSlurmctldPidFile=" + at +
           "/slurmctld.pid\nSlurmdPidFile=" + at + "/slurmd.pid\nSlurmctldLogFile=" + at +
           "/slurmctld.log\nSlurmdLogFile=" + at +
           "/slurmd.log\nSlurmctldDebug=error\nSlurmdDebug=error\n"
           "SlurmdParameters=config_overrides\nMessageTimeout=2\nMinJobAge=3600\n"
           "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
           "JobAcctGatherType=jobacct_gather/none\n"
           "AccountingStorageType=accounting_storage/none\nSelectType=select/cons_tres\n"
           "SelectTypeParameters=CR_Core\nSwitchType=switch/none\nMpiDefault=none\n"
           "SchedulerParameters=batch_sched_delay=0,sched_interval=1\nReturnToService=2\n"
           "NodeName=" +
           host +
           " NodeAddr=127.0.0.1 CPUs=4 RealMemory=1000 State=UNKNOWN\nPartitionName=main Nodes=" +
           host + " Default=YES State=UP\nPartitionName=npus Nodes=" + host + " State=UP\n";
  }

  void set_partitions(const std::string& state) const {
    for (const char* name : {"main", "npus"}) {
      said({"scontrol", "update", "PartitionName=" + std::string(name), "State=" + state});
    }
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("slurm");
  std::uint16_t port_ = 0;
  std::unique_ptr<Conversation> munge_;
  std::unique_ptr<Conversation> controller_;
  std::unique_ptr<Conversation> node_;
};

}  // namespace hone::testing
