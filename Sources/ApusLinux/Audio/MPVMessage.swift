import Foundation

/// What mpv says: an answer to a command, or an event.
enum MPVMessage: Equatable {
    /// The answer to the command with this number.
    case answer(Int, Result)
    case started(entry: Int)
    case ended(entry: Int, End)
    case coreIdle(Bool)
    /// The sound continues at another position: the start of a file, or after a seek.
    case restarted

    enum Result: Equatable {
        case done
        /// A file was put into mpv's playlist, as this entry.
        case entry(Int)
        case position(Duration)
        case failed(String)
    }

    enum End: Equatable {
        case played
        case failed(String)
        /// It was a playlist, and these entries stand for it.
        case replaced(by: Range<Int>)
        /// By a command.
        case stopped
    }

    private struct Wire: Decodable {
        var event: String?
        var requestID: Int?
        var error: String?
        var fileError: String?
        var reason: String?
        var entry: Int?
        var firstInserted: Int?
        var insertedCount: Int?
        var name: String?
        var data: Value?

        enum CodingKeys: String, CodingKey {
            case event, error, reason, name, data
            case requestID = "request_id"
            case fileError = "file_error"
            case entry = "playlist_entry_id"
            case firstInserted = "playlist_insert_id"
            case insertedCount = "playlist_insert_num_entries"
        }
    }

    private enum Value: Decodable {
        case flag(Bool)
        case number(Double)
        case entry(Int)
        case other

        private struct Loaded: Decodable {
            var entry: Int

            enum CodingKeys: String, CodingKey {
                case entry = "playlist_entry_id"
            }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let loaded = try? container.decode(Loaded.self) {
                self = .entry(loaded.entry)
            } else {
                self = .other
            }
        }
    }

    /// Reads a line; `nil` for events that are not used.
    ///
    /// - Throws: When the line is no JSON of mpv's.
    init?(line: String) throws {
        let wire = try JSONDecoder().decode(Wire.self, from: Data(line.utf8))
        guard let event = wire.event else {
            guard let number = wire.requestID, let error = wire.error else { return nil }
            self = .answer(number, error == "success" ? Self.result(wire.data) : .failed(error))
            return
        }
        switch (event, wire.entry) {
        case ("start-file", let entry?): self = .started(entry: entry)
        case ("end-file", let entry?): self = .ended(entry: entry, Self.end(wire))
        case ("playback-restart", _): self = .restarted
        case ("property-change", _):
            guard wire.name == "core-idle", case .flag(let isIdle) = wire.data else { return nil }
            self = .coreIdle(isIdle)
        default: return nil
        }
    }

    private static func result(_ data: Value?) -> Result {
        switch data {
        case .entry(let entry): .entry(entry)
        case .number(let seconds) where seconds.isFinite && abs(seconds) < 1e9: .position(.seconds(max(0, seconds)))
        case .flag, .number, .other, nil: .done
        }
    }

    private static func end(_ wire: Wire) -> End {
        switch wire.reason {
        case "eof": return .played
        case "stop", "quit": return .stopped
        case "redirect":
            guard let first = wire.firstInserted, let count = wire.insertedCount, count > 0,
                first <= Int.max - count
            else { return .failed("an empty playlist") }
            return .replaced(by: first..<first + count)
        default: return .failed(wire.fileError ?? wire.reason ?? "no reason was given")
        }
    }
}
