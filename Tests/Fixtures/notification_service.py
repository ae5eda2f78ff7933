#!/usr/bin/env python3
"""A notification service for tests: prints every Notify call as one line of JSON.

It speaks the bus's wire protocol itself, with nothing but Python's own library. Its first line is "ready". The
argument "refuse" makes it answer with an error, "hang" makes it not answer.
"""
import json
import os
import socket
import struct
import sys

CALL, REPLY, ERROR = 1, 2, 3
PATH, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE = range(1, 9)
TYPES = {PATH: "o", INTERFACE: "s", MEMBER: "s", ERROR_NAME: "s", REPLY_SERIAL: "u", DESTINATION: "s", SENDER: "s",
         SIGNATURE: "g"}


def pad(data, size):
    return data + b"\0" * (-len(data) % size)


def put(data, kind, value):
    """Appends one basic value with its alignment."""
    if kind == "u":
        return pad(data, 4) + struct.pack("<I", value)
    if kind == "g":
        return data + bytes([len(value)]) + value.encode() + b"\0"
    text = value.encode()
    return pad(data, 4) + struct.pack("<I", len(text)) + text + b"\0"


def message(kind, serial, fields, body=b""):
    array = b""
    for code, value in fields.items():
        array = pad(array, 8) + bytes([code]) + put(b"", "g", TYPES[code])
        array = put(array, TYPES[code], value)
    header = struct.pack("<cBBBIII", b"l", kind, 0, 1, len(body), serial, len(array))
    return pad(header + array, 8) + body


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def align(self, size):
        self.at += -self.at % size

    def take(self, kind):
        if kind in "ui":
            self.align(4)
            value = struct.unpack_from("<I" if kind == "u" else "<i", self.data, self.at)[0]
            self.at += 4
            return value
        if kind == "g":
            length = self.data[self.at]
            self.at += 1
        else:
            length = self.take("u")
        text = self.data[self.at:self.at + length].decode()
        self.at += length + 1
        return text

    def count(self, element_alignment):
        """Skips an array and says how many bytes it had."""
        length = self.take("u")
        self.align(element_alignment)
        self.at += length
        return length


def receive(stream):
    """One message: its kind, serial, header fields and body."""
    start = stream.read(16)
    if len(start) < 16:
        sys.exit(0)
    _, kind, _, _, body_size, serial, array_size = struct.unpack("<cBBBIII", start)
    array = stream.read(array_size + -array_size % 8)
    reader, fields = Reader(array), {}
    while reader.at < array_size:
        reader.align(8)
        code = array[reader.at]
        reader.at += 1
        fields[code] = reader.take(reader.take("g"))
    return kind, serial, fields, stream.read(body_size)


mode = sys.argv[1] if len(sys.argv) > 1 else "show"
path = dict(part.split("=") for part in os.environ["DBUS_SESSION_BUS_ADDRESS"].split(":", 1)[1].split(","))["path"]
bus = socket.socket(socket.AF_UNIX)
bus.connect(path)
stream = bus.makefile("rb")
bus.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
assert stream.readline().startswith(b"OK"), "the bus refused"
bus.sendall(b"BEGIN\r\n")

TO_BUS = {PATH: "/org/freedesktop/DBus", INTERFACE: "org.freedesktop.DBus", DESTINATION: "org.freedesktop.DBus"}
bus.sendall(message(CALL, 1, {**TO_BUS, MEMBER: "Hello"}))
name = put(put(b"", "s", "org.freedesktop.Notifications"), "u", 0)
bus.sendall(message(CALL, 2, {**TO_BUS, MEMBER: "RequestName", SIGNATURE: "su"}, name))

next_serial = 3
while True:
    kind, serial, fields, body = receive(stream)
    if kind == REPLY and fields[REPLY_SERIAL] == 2:
        print("ready", flush=True)
    if kind != CALL or fields[MEMBER] != "Notify":
        continue
    reader = Reader(body)
    call = {"signature": fields[SIGNATURE], "path": fields[PATH], "interface": fields[INTERFACE]}
    call["app"], call["replaces"], call["icon"] = reader.take("s"), reader.take("u"), reader.take("s")
    call["summary"], call["body"] = reader.take("s"), reader.take("s")
    call["actionBytes"], call["hintBytes"] = reader.count(4), reader.count(8)
    call["expires"] = reader.take("i")
    print(json.dumps(call), flush=True)
    to_caller = {REPLY_SERIAL: serial, DESTINATION: fields[SENDER]}
    if mode == "show":
        bus.sendall(message(REPLY, next_serial, {**to_caller, SIGNATURE: "u"}, put(b"", "u", 7)))
    elif mode == "refuse":
        failed = {**to_caller, ERROR_NAME: "org.freedesktop.Notifications.Error.Refused", SIGNATURE: "s"}
        bus.sendall(message(ERROR, next_serial, failed, put(b"", "s", "not now")))
    next_serial += 1
