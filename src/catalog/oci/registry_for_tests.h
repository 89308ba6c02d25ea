#pragma once
// A real registry on loopback, and a wire to it that can be cut.

#include <functional>
#include <memory>
#include <string>

#include "base/conversation.h"
#include "base/server_for_tests.h"
#include "base/tls_for_tests.h"

namespace hone::testing {

// Debian's docker-registry.
class RealRegistry {
 public:
  static bool is_installed() {
    const auto asked = run_process({"docker-registry", "--version"});
    return asked && asked->ok();
  }
  // Whether a disk of its own can be made for one: that takes a mount.
  static bool can_have_small_disk() {
    const auto asked = run_process(
        {"unshare", "--mount", "mount", "-t", "tmpfs", "-o", "size=64k", "none", "/mnt"});
    return asked && asked->ok();
  }
  // `disk` is the size of its disk, "256k"; empty: that of the machine. With a certificate it
  // speaks TLS.
  explicit RealRegistry(std::string disk = {}, const TestCertificate* certificate = nullptr)
      : folder_(*TemporaryFolder::create("registry")), disk_(std::move(disk)) {
    // A port that was free a moment ago.
    port_ = TestServer([](Peer&) {}).port();
    std::string config =
        "version: 0.1\nlog:\n  level: error\n  accesslog:\n    disabled: true\nstorage:\n"
        "  filesystem:\n    rootdirectory: " +
        (folder_.path() / "data").string() +
        "\n  delete:\n    enabled: true\nhttp:\n  addr: " + address() + "\n  secret: fixed\n";
    if (certificate != nullptr)
      config += "  tls:\n    certificate: " + certificate->file().string() +
                "\n    key: " + certificate->key().string() + "\n";
    HONE_CHECK(write_file(folder_.path() / "config.yml", config).has_value());
    start();
  }

  void start() {
    process_ = std::make_unique<Conversation>(*Conversation::start(words()));
    for (int i = 0; i < 1000; ++i) {
      if (connected_to(port_)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    HONE_CHECK(false);
  }
  void kill() { process_.reset(); }

  std::uint16_t port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  Path blob_file(const std::string& sha256) const {
    return folder_.path() / "data/docker/registry/v2/blobs/sha256" / sha256.substr(0, 2) / sha256 /
           "data";
  }

 private:
  std::vector<std::string> words() const {
    const std::string config = (folder_.path() / "config.yml").string();
    if (disk_.empty()) return {"docker-registry", "serve", config};
    const std::string data = (folder_.path() / "data").string();
    std::filesystem::create_directories(data);
    // The mount is seen by the registry alone, and gone with it.
    return {"unshare",
            "--mount",
            "sh",
            "-c",
            "mount -t tmpfs -o size=\"$1\" none \"$2\" && exec docker-registry serve \"$3\"",
            "sh",
            disk_,
            data,
            config};
  }

  TemporaryFolder folder_;
  std::string disk_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Conversation> process_;
};

// Passes bytes on to a port, and asks before each piece of the client's: false cuts the wire.
class Wire {
 public:
  using May = std::function<bool(std::string_view piece)>;
  Wire(std::uint16_t port, May may)
      : server_([port, may = std::move(may)](Peer& client) { pass(client, port, may); }) {}
  std::string address() const { return server_.address(); }

 private:
  static void pass(Peer& client, std::uint16_t port, const May& may) {
    Descriptor there = connected_to(port);
    if (!there) return;
    Peer server(std::move(there));
    pass_on(client, server, [&](bool is_from_client, std::string_view piece) {
      return !is_from_client || may(piece);
    });
  }
  TestServer server_;
};

}  // namespace hone::testing
