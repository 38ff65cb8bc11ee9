#ifdef __linux__
#define _GNU_SOURCE  // clock_gettime
#endif

#include "clocalserver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Browsers open a few connections for each page. If there are more clients, the client that has waited longest without
// a request is cut off.
enum { CLIENTS = 64, NOBODY = -1 };

// How long the server waits for a client that takes no bytes, and at most for a client that takes some bytes now and
// then, in milliseconds.
enum { PATIENCE = 5000, MOST_PATIENCE = 60000 };

// A client whose end of the connection is gone must not end this process.
#ifdef MSG_NOSIGNAL
enum { SEND_FLAGS = MSG_NOSIGNAL };
#else
enum { SEND_FLAGS = 0 };
#endif

struct client {
  int descriptor;  // NOBODY: no client
  bool is_kept;
  uint64_t turn;  // clients that came later have larger turns
  size_t used;
  uint8_t head[CLOCAL_HEAD];
};

struct clocal_server {
  int listener;
  uint16_t port;
  uint64_t turns;
  struct client clients[CLIENTS];
};

static void cut_off(struct client *client) {
  close(client->descriptor);
  client->descriptor = NOBODY;
}

static void set_option(int descriptor, int level, int option, const void *value, socklen_t size) {
  (void)setsockopt(descriptor, level, option, value, size);  // an option that is missing costs time, nothing else
}

int clocal_open(uint16_t port, struct clocal_server **server) {
  struct clocal_server *made = calloc(1, sizeof *made);
  if (!made) return ENOMEM;
  for (int index = 0; index < CLIENTS; index++) made->clients[index].descriptor = NOBODY;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  int error = 0;
  made->listener = socket(AF_INET, SOCK_STREAM, 0);
  if (made->listener < 0) {
    error = errno;
    free(made);
    return error;
  }
  // A server that was started again gets its port at once. Another server that listens there still has the port.
  const int yes = 1;
  set_option(made->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (fcntl(made->listener, F_SETFD, FD_CLOEXEC) < 0 || fcntl(made->listener, F_SETFL, O_NONBLOCK) < 0 ||
      bind(made->listener, (const struct sockaddr *)&address, size) < 0 || listen(made->listener, 16) < 0 ||
      getsockname(made->listener, (struct sockaddr *)&address, &size) < 0) {
    error = errno;
    close(made->listener);
    free(made);
    return error;
  }
  made->port = ntohs(address.sin_port);
  *server = made;
  return 0;
}

uint16_t clocal_port(const struct clocal_server *server) { return server->port; }

void clocal_close(struct clocal_server *server) {
  for (int index = 0; index < CLIENTS; index++)
    if (server->clients[index].descriptor != NOBODY) cut_off(&server->clients[index]);
  close(server->listener);
  free(server);
}

// Returns a place for a client: an empty place if there is one. Otherwise cuts off the client that has waited longest
// without a request or, if all clients are kept, the client that was kept first, and returns its place.
static struct client *place_for_client(struct clocal_server *server) {
  struct client *oldest = &server->clients[0];
  for (int index = 0; index < CLIENTS; index++) {
    struct client *one = &server->clients[index];
    if (one->descriptor == NOBODY) return one;
    if (one->is_kept == oldest->is_kept ? one->turn < oldest->turn : oldest->is_kept) oldest = one;
  }
  cut_off(oldest);
  return oldest;
}

static void accept_client(struct clocal_server *server) {
  int descriptor = accept(server->listener, NULL, NULL);
  if (descriptor < 0) return;  // the client is gone, or there are too many open files: it comes again
#ifdef SO_NOSIGPIPE
  const int yes = 1;
  set_option(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
  (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  struct client *client = place_for_client(server);
  client->descriptor = descriptor;
  client->is_kept = false;
  client->used = 0;
  client->turn = ++server->turns;
}

static bool has_whole_head(const struct client *client) {
  for (size_t place = 3; place < client->used; place++)
    if (memcmp(client->head + place - 3, "\r\n\r\n", 4) == 0) return true;
  return false;
}

// Reads what has come from a client. Returns whether its head is complete.
static bool read_head(struct client *client) {
  uint8_t ignored[512];
  bool has_room = !client->is_kept && client->used < CLOCAL_HEAD;
  ssize_t count = has_room ? recv(client->descriptor, client->head + client->used, CLOCAL_HEAD - client->used, MSG_DONTWAIT)
                           : recv(client->descriptor, ignored, sizeof ignored, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return false;
  if (count <= 0 || (!has_room && !client->is_kept)) {
    cut_off(client);
    return false;
  }
  if (!has_room) return false;
  client->used += (size_t)count;
  return has_whole_head(client);
}

int clocal_next(struct clocal_server *server, int milliseconds) {
  struct pollfd polled[CLIENTS + 1] = {{.fd = server->listener, .events = POLLIN}};
  // poll(2) ignores negative descriptors.
  for (int index = 0; index < CLIENTS; index++)
    polled[index + 1] = (struct pollfd){.fd = server->clients[index].descriptor, .events = POLLIN};
  if (poll(polled, CLIENTS + 1, milliseconds) <= 0) return -1;
  for (int index = 0; index < CLIENTS; index++)
    if (polled[index + 1].revents != 0 && read_head(&server->clients[index])) return index;
  // The listener comes last, because a new client may get the place of a client that was polled.
  if (polled[0].revents != 0) accept_client(server);
  return -1;
}

size_t clocal_head(const struct clocal_server *server, int client, uint8_t *head) {
  const struct client *one = &server->clients[client];
  memcpy(head, one->head, one->used);
  return one->used;
}

static int64_t milliseconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// Returns whether the client can take bytes. A signal ends the wait, because it may ask this process to end.
static bool can_send(const struct client *client, int64_t end) {
  struct pollfd polled = {.fd = client->descriptor, .events = POLLOUT};
  return milliseconds_now() < end && poll(&polled, 1, PATIENCE) > 0;
}

static bool send_all(const struct client *client, const uint8_t *bytes, size_t size, bool waits) {
  int64_t end = milliseconds_now() + MOST_PATIENCE;
  while (size > 0) {
    ssize_t count = send(client->descriptor, bytes, size, SEND_FLAGS | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && waits && can_send(client, end)) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= (size_t)count;
  }
  return true;
}

void clocal_answer(struct clocal_server *server, int client, const uint8_t *bytes, size_t size) {
  (void)send_all(&server->clients[client], bytes, size, true);  // a client that is gone needs no answer
  cut_off(&server->clients[client]);
}

void clocal_keep(struct clocal_server *server, int client, const uint8_t *bytes, size_t size) {
  struct client *one = &server->clients[client];
  one->is_kept = send_all(one, bytes, size, true);
  if (!one->is_kept) cut_off(one);
}

void clocal_publish(struct clocal_server *server, const uint8_t *bytes, size_t size) {
  for (int index = 0; index < CLIENTS; index++) {
    struct client *one = &server->clients[index];
    if (one->descriptor != NOBODY && one->is_kept && !send_all(one, bytes, size, false)) cut_off(one);
  }
}
