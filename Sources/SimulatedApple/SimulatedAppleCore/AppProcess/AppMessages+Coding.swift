// The lines of an exchange: a letter for the kind, then numbers, and last, as JSON, a part that has many forms. Most
// messages have no such part; to write or read a whole message as JSON takes ten times as long, and was a fifth of the
// time of an exploration.

import Foundation

extension DeviceMessage: LineMessage {
    func write(to line: inout LineWriter) {
        switch self {
        case .run(let readings, let isScrolling, let events, let freeTime):
            line.begin("r")
            for reading in [readings.uptime, readings.continuous, readings.wall] { line.add(reading) }
            line.add(isScrolling ? 1 : 0)
            line.add(freeTime)
            if !events.isEmpty { line.add(json: events) }
        case .reply(let call, let reply, let freeTime):
            line.begin("a")
            line.add(call)
            line.add(freeTime)
            line.add(reply)
        }
    }

    init?(_ line: inout LineReader) {
        switch line.kind {
        case "r":
            guard let uptime = line.number(Int64.self), let continuous = line.number(Int64.self),
                let wall = line.number(Int64.self), let isScrolling = line.number(Int.self),
                let freeTime = line.number(UInt64.self),
                let events = line.isAtEnd ? [] : line.json([NumberedEvent].self)
            else { return nil }
            let readings = AppReadings(uptime: uptime, continuous: continuous, wall: wall)
            self = .run(readings, isScrolling: isScrolling == 1, events, freeTime: freeTime)
        case "a":
            guard let call = line.number(Int.self), let freeTime = line.number(UInt64.self) else { return nil }
            self = .reply(call: call, line.rest, freeTime: freeTime)
        default: return nil
        }
    }
}

extension AppMessage: LineMessage {
    func write(to line: inout LineWriter) {
        switch self {
        case .idle(let next, let elapsed):
            line.begin("i")
            line.add(elapsed)
            if let next { line.add(next) }
        case .returned(let event):
            line.begin("e")
            line.add(event)
        case .call(let number, let call, let elapsed):
            line.begin("c")
            line.add(number)
            line.add(elapsed)
            line.add(json: call)
        }
    }

    init?(_ line: inout LineReader) {
        switch line.kind {
        case "i":
            guard let elapsed = line.number(UInt64.self) else { return nil }
            if line.isAtEnd {
                self = .idle(next: nil, elapsed: elapsed)
            } else {
                guard let next = line.number(UInt64.self) else { return nil }
                self = .idle(next: next, elapsed: elapsed)
            }
        case "e":
            guard let event = line.number(Int.self) else { return nil }
            self = .returned(event)
        case "c":
            guard let number = line.number(Int.self), let elapsed = line.number(UInt64.self),
                let call = line.json(AppCall.self)
            else { return nil }
            self = .call(number, call, elapsed: elapsed)
        default: return nil
        }
    }
}
