// The messages of which an exchange consists are lists: as the dictionaries that the compiler would make of them, writing
// and reading one takes four times as long, which was a fifth of the time of an exploration.

import Foundation

extension DeviceMessage: Codable {
    private enum Kind: Int { case run, reply }

    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        switch self {
        case .run(let readings, let isScrolling, let events, let freeTime):
            try list.encode(Kind.run.rawValue)
            try list.encode(readings.uptime)
            try list.encode(readings.continuous)
            try list.encode(readings.wall)
            try list.encode(isScrolling)
            try list.encode(freeTime)
            for event in events { try list.encode(event) }
        case .reply(let call, let reply, let freeTime):
            try list.encode(Kind.reply.rawValue)
            try list.encode(call)
            try list.encode(reply)
            try list.encode(freeTime)
        }
    }

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        switch try Kind(in: &list) {
        case .run:
            let readings = try AppReadings(
                uptime: list.decode(Int64.self), continuous: list.decode(Int64.self), wall: list.decode(Int64.self))
            let isScrolling = try list.decode(Bool.self)
            let freeTime = try list.decode(UInt64.self)
            var events: [NumberedEvent] = []
            while !list.isAtEnd { events.append(try list.decode(NumberedEvent.self)) }
            self = .run(readings, isScrolling: isScrolling, events, freeTime: freeTime)
        case .reply:
            self = try .reply(
                call: list.decode(Int.self), list.decode(Data.self), freeTime: list.decode(UInt64.self))
        }
    }
}

extension AppMessage: Codable {
    private enum Kind: Int { case idle, returned, call }

    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        switch self {
        case .idle(let next, let elapsed):
            try list.encode(Kind.idle.rawValue)
            try list.encode(elapsed)
            if let next { try list.encode(next) }
        case .returned(let event):
            try list.encode(Kind.returned.rawValue)
            try list.encode(event)
        case .call(let number, let call, let elapsed):
            try list.encode(Kind.call.rawValue)
            try list.encode(number)
            try list.encode(call)
            try list.encode(elapsed)
        }
    }

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        switch try Kind(in: &list) {
        case .idle:
            let elapsed = try list.decode(UInt64.self)
            self = .idle(next: list.isAtEnd ? nil : try list.decode(UInt64.self), elapsed: elapsed)
        case .returned:
            self = .returned(try list.decode(Int.self))
        case .call:
            self = try .call(list.decode(Int.self), list.decode(AppCall.self), elapsed: list.decode(UInt64.self))
        }
    }
}

extension RawRepresentable where RawValue == Int {
    /// The kind of a message, which is the first element of its list.
    fileprivate init(in list: inout any UnkeyedDecodingContainer) throws {
        let number = try list.decode(Int.self)
        guard let kind = Self(rawValue: number) else {
            throw DecodingError.dataCorruptedError(in: list, debugDescription: "no message has the number \(number)")
        }
        self = kind
    }
}
