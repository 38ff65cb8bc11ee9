/* A server for programs on this machine alone: it listens on the loopback, and one thread does all of its work. */

#ifndef CLOCALSERVER_H
#define CLOCALSERVER_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct clocal_server;

/* The greatest number of bytes before the empty line of a request. Clients that send more are cut off. */
enum { CLOCAL_HEAD = 8192 };

/* Listens at PORT of 127.0.0.1; 0 is any free port. Returns 0 or an errno: EADDRINUSE if another program has the port.
 * The caller closes *SERVER. */
int clocal_open(uint16_t port, struct clocal_server *_Nullable *_Nonnull server);
uint16_t clocal_port(const struct clocal_server *server);
/* Cuts off all clients and frees SERVER. */
void clocal_close(struct clocal_server *server);

/* Waits for at most MILLISECONDS until a client has sent a whole head, with its empty line. Returns the client's number,
 * or -1 if there is none, also if a signal has come. The client waits until it gets an answer. */
int clocal_next(struct clocal_server *server, int milliseconds);
/* Copies the head that CLIENT has sent into HEAD, which has room for CLOCAL_HEAD bytes. Returns its size. */
size_t clocal_head(const struct clocal_server *server, int client, uint8_t *head);
/* Sends BYTES to CLIENT, and cuts it off. Meanwhile the others wait: for at most five seconds if the client takes nothing,
 * for at most a minute if it takes some bytes now and then, and no longer if a signal comes. */
void clocal_answer(struct clocal_server *server, int client, const uint8_t *bytes, size_t size);
/* Sends BYTES to CLIENT as `clocal_answer` does, and keeps it for `clocal_publish`. */
void clocal_keep(struct clocal_server *server, int client, const uint8_t *bytes, size_t size);
/* Sends BYTES to all clients that are kept, and cuts off those that do not take them at once. */
void clocal_publish(struct clocal_server *server, const uint8_t *bytes, size_t size);

#pragma clang assume_nonnull end

#endif
