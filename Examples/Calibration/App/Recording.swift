import Foundation

/// The answers of one phone, as they are in a file.
struct Recording: Codable, Equatable {
    /// The format of the files that this version writes and reads.
    static let currentFormat = 1

    var format = Self.currentFormat
    /// The phone and its system, such as "iOS 26.1, iPhone".
    var system: String
    /// The answers by the names of their questions.
    var answers: [String: Answer]
}

/// A phone's answer to a question.
enum Answer: Equatable, CustomStringConvertible {
    case seconds(Double)
    case text(String)

    var description: String {
        switch self {
        case .seconds(let seconds): String(format: "%.2f s", seconds)
        case .text(let text): text
        }
    }
}

/// A number is a time in seconds; everything else is a text, such as "greatest" for the greatest number, which is no
/// number of milliseconds.
extension Answer: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let seconds = try? container.decode(Double.self) {
            self = .seconds(seconds)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .seconds(let seconds):
            let milliseconds = (seconds * 1_000).rounded()
            if milliseconds.isFinite {
                try container.encode(milliseconds / 1_000)
            } else {
                try container.encode("greatest")
            }
        case .text(let text): try container.encode(text)
        }
    }
}
