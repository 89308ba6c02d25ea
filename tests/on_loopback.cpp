// Preloaded into Slurm's servers by tests: they listen on loopback and on nothing else, and call
// themselves localhost. Slurm itself binds to what the name of the machine resolves to, which in a
// container is its address in the network, or nothing at all.

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

extern "C" int gethostname(char* name, std::size_t size) {
  std::strncpy(name, "localhost", size);
  return 0;
}

extern "C" int bind(int socket, const sockaddr* address, socklen_t size) {
  sockaddr_in here{};
  if (address->sa_family != AF_INET || size < sizeof here)
    return static_cast<int>(::syscall(SYS_bind, socket, address, size));
  std::memcpy(&here, address, sizeof here);
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return static_cast<int>(::syscall(SYS_bind, socket, &here, sizeof here));
}
