#!/usr/bin/env python3
"""Waits for a redis server, sends it the same commands each time, and shuts it down.

usage: client.py SOCKET
"""
import socket, sys, time

while True:
    try:
        server = socket.socket(socket.AF_UNIX)
        server.connect(sys.argv[1])
        break
    except OSError:
        time.sleep(0.05)
commands = ["PING", "SET a 1", "GET a", "INCR a", "LPUSH l x y", "LRANGE l 0 -1", "HSET h f v", "INFO", "SHUTDOWN NOSAVE"]
for command in commands:
    words = command.split()
    server.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w.encode()) for w in words))
    try:
        server.recv(1 << 16)
    except ConnectionError:  # the last command
        pass
