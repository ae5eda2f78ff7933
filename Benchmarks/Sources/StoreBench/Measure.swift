#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One line of the result.
struct Figure {
    var name: String
    var value: Double
    var unit: String
    /// The value as a multiple of raw single commits, where that says something.
    var ratio: Double?
    /// What the ratio should be at least.
    var aim: Double?
    /// What the value should be at most.
    var atMost: Double?

    /// Printed under the table of the person who runs it.
    var line: String {
        let number = value < 100 ? fixed(value, 2) : fixed(value, 0)
        var text = pad(name, 44) + padLeft(number, 10) + " " + pad(unit, 10)
        if let ratio { text += padLeft(fixed(ratio, 2), 7) + " x raw" }
        if let aim { text += "  (aim: at least \(fixed(aim, 1)) x)" }
        if let atMost { text += "  (aim: at most \(fixed(atMost, 0)))" }
        return text
    }

    var json: String {
        func field(_ name: String, _ value: Double?) -> String { value.map { ", \"\(name)\": \(fixed($0, 3))" } ?? "" }
        return "{\"name\": \"\(name)\", \"value\": \(fixed(value, 3)), \"unit\": \"\(unit)\""
            + field("ratioToRaw", ratio) + field("aim", aim) + field("atMost", atMost) + "}"
    }
}

func fixed(_ value: Double, _ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let whole = Int64((value * scale).rounded())
    if digits == 0 { return "\(whole)" }
    let fraction = "\(abs(whole) % Int64(scale))"
    return "\(whole / Int64(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
}

func pad(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
func padLeft(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

/// Seconds that `body` takes.
func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let time = try await ContinuousClock().measure(body)
    return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
}

/// The memory of this process that is in RAM, in MB; 0 where the system does not say.
func residentMegabytes() -> Double {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 256)
    while fgets(&buffer, Int32(buffer.count), file) != nil {
        let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if line.hasPrefix("VmRSS:"), let number = line.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) {
            return number / 1024
        }
    }
    return 0
}
