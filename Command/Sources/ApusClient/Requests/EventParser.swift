/// Reads server-sent events, as far as the daemon writes them: `event` and one line of `data`.
struct EventParser {
    private var line: [UInt8] = []
    private var name = "message"
    private var data: [UInt8] = []

    mutating func append(_ bytes: some Sequence<UInt8>) -> [DaemonClient.Event] {
        var events: [DaemonClient.Event] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            if line.isEmpty {
                if !data.isEmpty { events.append(.init(name: name, data: data)) }
                (name, data) = ("message", [])
            } else if line.starts(with: "event: ".utf8) {
                name = String(decoding: line.dropFirst(7), as: UTF8.self)
            } else if line.starts(with: "data: ".utf8) {
                data.append(contentsOf: line.dropFirst(6))
            }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }
}
