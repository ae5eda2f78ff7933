/// An error in a schedule's text: its place, what was read, what is accepted there, and what may have been meant.
public struct ScheduleTextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The column of the error in the text as it was typed, from 1.
    public let column: Int
    /// The text at the column; empty at the end.
    public let found: String
    /// The forms that are accepted at the column.
    public let expected: String
    /// The text before the column, which was understood; empty in notations without words.
    public let understood: String
    /// The nearest valid texts, if any is near; several if the text is ambiguous.
    public internal(set) var suggestions: [String] = []
    /// The possible readings of ``found``, if it is ambiguous.
    var readings: [String]
    /// Whole texts to suggest, if they are valid.
    var candidates: [String]

    init(
        column: Int, found: String, expected: String, understood: String = "", readings: [String] = [],
        candidates: [String] = []
    ) {
        (self.column, self.found, self.expected) = (column, found, expected)
        (self.understood, self.readings, self.candidates) = (understood, readings, candidates)
    }

    /// The message without ``suggestions``.
    public var problem: String {
        "column \(column): read \(found.isEmpty ? "the end" : "\"\(found)\"")"
            + (understood.isEmpty ? "" : " after \"\(understood)\"") + "; accepted here: \(expected)"
    }

    /// The message with ``suggestions``.
    public var description: String {
        suggestions.isEmpty ? problem : "\(problem); did you mean: \(suggestions.joined(separator: ", or "))"
    }
}

/// A piece of a text with its column.
struct Token: Sendable {
    var text: String
    var column: Int

    func error(_ expected: String) -> ScheduleTextError { .init(column: column, found: text, expected: expected) }

    /// Splits a text at white space.
    static func split(_ text: String) -> [Token] {
        var result: [Token] = []
        for (index, character) in text.enumerated() {
            if character.isWhitespace {
                if result.last?.text.isEmpty == false { result.append(Token(text: "", column: 0)) }
            } else if result.isEmpty || result[result.count - 1].text.isEmpty {
                if !result.isEmpty { result.removeLast() }
                result.append(Token(text: String(character), column: index + 1))
            } else {
                result[result.count - 1].text.append(character)
            }
        }
        return result.filter { !$0.text.isEmpty }
    }

    /// Splits the token at a separator, giving each part its own column.
    func parts(_ separator: Character) -> [Token] {
        var result = [Token(text: "", column: column)]
        for (index, character) in text.enumerated() {
            if character == separator {
                result.append(Token(text: "", column: column + index + 1))
            } else {
                result[result.count - 1].text.append(character)
            }
        }
        return result
    }

    /// The token's number, if the token is one to nine ASCII digits.
    var number: Int? {
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    func number(_ range: ClosedRange<Int>, _ what: String) throws(ScheduleTextError) -> Int {
        guard let number, range.contains(number) else {
            throw error("\(what) from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func suffix(from count: Int) -> Token { Token(text: String(text.dropFirst(count)), column: column + count) }
}

/// Prints and analyses sets of numbers.
enum NumberSet {
    /// Prints ascending numbers as single values and ranges, such as `1-5,7`.
    static func list(_ values: [Int], range: String, _ name: (Int) -> String = { String($0) }) -> String {
        var runs: [(Int, Int)] = []
        for value in values {
            if let last = runs.last, last.1 == value - 1 {
                runs[runs.count - 1].1 = value
            } else {
                runs.append((value, value))
            }
        }
        return runs.map { first, last in
            first == last
                ? name(first)
                : last == first + 1 ? "\(name(first)),\(name(last))" : "\(name(first))\(range)\(name(last))"
        }.joined(separator: ",")
    }

    /// Returns the first value, the distance and the last value, if there are several values at equal distances.
    static func progression(_ values: [Int]) -> (first: Int, step: Int, last: Int)? {
        guard values.count > 1, let first = values.first, let last = values.last else { return nil }
        let step = values[1] - first
        return zip(values, values.dropFirst()).allSatisfy { $1 - $0 == step } ? (first, step, last) : nil
    }
}
