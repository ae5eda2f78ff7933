#!/usr/bin/env python3
"""Speaks mpv's JSON protocol on descriptor 3, and misbehaves as the argument --fake=… says. Every item lasts no time."""

import json
import socket
import sys
import time

mode = next((a[len("--fake=") :] for a in sys.argv if a.startswith("--fake=")), "")
connection = socket.socket(fileno=3)
entry = 0
waiting = []
is_paused = True


def say(message):
    line = json.dumps(message).encode() + b"\n"
    if mode == "torn":
        line = b"this is no JSON\n" + b"x" * 100000 + b"\n{}\n" + line
        for start in range(0, len(line), 20011):
            connection.sendall(line[start : start + 20011])
            time.sleep(0.001)  # so that the pieces arrive as pieces
    else:
        connection.sendall(line)


def hear():
    rest = b""
    while True:
        more = connection.recv(65536)
        if not more:
            return
        rest += more
        while b"\n" in rest:
            line, rest = rest.split(b"\n", 1)
            yield json.loads(line)


def play():
    while waiting and not is_paused:
        number = waiting.pop(0)
        say({"event": "start-file", "playlist_entry_id": number})
        say({"event": "playback-restart"})
        say({"event": "end-file", "reason": "eof", "playlist_entry_id": number})


if mode == "ends":
    sys.exit(1)
for message in hear():
    if mode == "silent":
        continue
    command = message["command"]
    answer = {"request_id": message["request_id"], "error": "success"}
    name = command["name"] if isinstance(command, dict) else command[0]
    if name == "loadfile":
        if command["flags"] == "replace":
            waiting = []
        entry += 1
        waiting.append(entry)
        answer["data"] = {"playlist_entry_id": entry}
    if name == "stop":
        waiting = []
    if command[:2] == ["set_property", "pause"] if isinstance(command, list) else False:
        is_paused = command[2]
        if mode == "dies":
            say(answer)
            sys.exit(1)
    say(answer)
    play()
