import Foundation

/// A command to mpv, in the words of its JSON protocol (mpv's manual, "JSON IPC" and "List of Input Commands").
enum MPVCommand: Equatable {
    /// mpv reports `core-idle` from now on: whether no sound comes, because it is paused, loads or has nothing.
    case observeCoreIdle
    case setPause(Bool)
    /// Plays an item instead of everything that was loaded.
    case load(AudioFile, start: Duration)
    /// Plays an item after those that were loaded, or now when they have ended meanwhile.
    case append(AudioFile)
    /// Forgets everything that was loaded.
    case stop
    case getPosition

    struct AudioFile: Equatable {
        var source: String
        var title: String
    }

    /// The line for this command; mpv answers with the number.
    func line(number: Int) -> String {
        let message: [String: Any] = ["command": command, "request_id": number]
        // These are strings, numbers and booleans, which JSON can always say.
        guard let data = try? JSONSerialization.data(withJSONObject: message, options: [.sortedKeys]) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    private var command: Any {
        switch self {
        case .observeCoreIdle: ["observe_property", 1, "core-idle"] as [Any]
        case .setPause(let isPaused): ["set_property", "pause", isPaused] as [Any]
        case .load(let file, let start):
            // By name: the number of arguments before the options changed in mpv 0.38.
            Self.load(file, "replace", start > .zero ? ["start": Self.seconds(start)] : [:])
        case .append(let file): Self.load(file, "append-play", [:])
        case .stop: ["stop"]
        case .getPosition: ["get_property", "time-pos"]
        }
    }

    private static func load(_ file: AudioFile, _ flags: String, _ options: [String: String]) -> [String: Any] {
        let options = options.merging(["force-media-title": file.title]) { $1 }
        return ["name": "loadfile", "url": file.source, "flags": flags, "options": options]
    }

    private static func seconds(_ duration: Duration) -> String {
        let microseconds = duration.components.attoseconds / 1_000_000_000_000
        let digits = String(microseconds)
        return "\(duration.components.seconds)." + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
