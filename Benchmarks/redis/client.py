#!/usr/bin/env python3
"""Waits for redis servers, one after the other. Sends the same commands to each, and shuts it down.

usage: client.py SOCKET server|second      the set of commands
       client.py SOCKET -- COMMAND...
"""

import socket
import sys
import time

commands = {
    "server": ["PING", "SET a 1", "GET a", "INCR a", "LPUSH l x y", "LRANGE l 0 -1", "HSET h f v", "INFO"],
    "second": [
        "PING",
        "MSET a 1 b 2",
        "APPEND a 3",
        "EXPIRE a 100",
        "SADD s x y",
        "SINTER s s",
        "ZADD z 1 x 2 y",
        "ZRANGE z 0 -1",
        "EVAL return(1) 0",
        "CONFIG GET save",
        "DBSIZE",
    ],
}.get(sys.argv[2], sys.argv[3:])
while True:
    server = socket.socket(socket.AF_UNIX)
    try:
        server.connect(sys.argv[1])
    except OSError:
        time.sleep(0.01)
        continue
    for command in commands + ["SHUTDOWN NOSAVE"]:
        words = command.split()
        server.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w.encode()) for w in words))
        try:
            server.recv(1 << 16)
        except ConnectionError:  # the last command
            pass
    server.close()
