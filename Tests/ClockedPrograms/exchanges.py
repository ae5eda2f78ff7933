"""Two processes exchange data, each waiting at most half a minute for the other: how many answers came in time.

Over TCP, where the kernel keeps small pieces back until earlier ones are acknowledged, and over a pseudo-terminal, whose
bytes a thread of the kernel hands over.
"""
import os
import pty
import select
import socket
import sys
import time


def tcp(count):
    listener = socket.create_server(("127.0.0.1", 0))
    if os.fork() == 0:
        connection, _ = listener.accept()
        while data := connection.recv(2):
            while len(data) < 2:
                data += connection.recv(2 - len(data))
            connection.sendall(data)
        os._exit(0)
    connection = socket.create_connection(listener.getsockname())
    answers = 0
    for _ in range(count):
        connection.send(b"a")
        connection.send(b"b")
        received = b""
        while len(received) < 2 and select.select([connection], [], [], 30)[0]:
            received += connection.recv(2)
        answers += received == b"ab"
    return answers


def terminal(count):
    child, master = pty.fork()
    if child == 0:
        os.system("stty raw -echo")
        os.write(1, b"r")
        while data := os.read(0, 1):
            os.write(1, data)
        os._exit(0)
    assert os.read(master, 1) == b"r"
    answers = 0
    for _ in range(count):
        os.write(master, b"x")
        if select.select([master], [], [], 30)[0]:
            answers += os.read(master, 1) == b"x"
    return answers


begin, count = time.monotonic(), int(sys.argv[1])
print(f"{tcp(count)} and {terminal(count)} answers of {count} in {time.monotonic() - begin:.6f} s")
