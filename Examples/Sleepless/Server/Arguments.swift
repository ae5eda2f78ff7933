import ApusJobs
import ApusTimers
import Foundation
import HTTPTypes
import LoopbackWeb
import SleeplessApp

/// The JSON object that a POST carries. Its errors name the argument and what is accepted.
struct Arguments: Sendable {
    private enum Value: Decodable, Sendable {
        case flag(Bool)
        case number(Double)
        case text(String)
        case null
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .other
            }
        }
    }

    private let values: [String: Value]

    /// - Parameter body: A JSON object, or nothing.
    /// - Throws: ``WebError``.
    init(_ body: Data) throws(WebError) {
        guard !body.isEmpty else {
            values = [:]
            return
        }
        do {
            values = try JSONDecoder().decode([String: Value].self, from: body)
        } catch {
            throw Self.invalid("the body is not a JSON object; send one like {\"seconds\":40}, or nothing")
        }
    }

    static func invalid(_ message: String) -> WebError { WebError(.badRequest, code: "invalid", message: message) }

    /// Refuses arguments that are not read: a misspelt one would silently change the request.
    ///
    /// - Parameters:
    ///   - names: All that are read.
    ///   - action: What they are arguments of.
    /// - Throws: ``WebError``, which names the unknown ones and the accepted ones.
    func accept(only names: [String], in action: String) throws(WebError) {
        let unknown = values.keys.filter { !names.contains($0) }.sorted()
        guard !unknown.isEmpty else { return }
        let list = unknown.map { "`\($0)`" }.joined(separator: ", ")
        throw Self.invalid(
            "“\(action)” has no argument \(list); "
                + (names.isEmpty ? "pass none" : "it takes \(names.map { "`\($0)`" }.joined(separator: ", "))"))
    }

    /// Refuses two arguments that say the same thing in different ways.
    func acceptOne(of one: String, _ other: String) throws(WebError) {
        if has(one), has(other) { throw Self.invalid("pass `\(one)` or `\(other)`, not both") }
    }

    /// A number within a range; `nil` when it is not there or null.
    func optionalNumber(
        _ name: String, in range: ClosedRange<Double>, of unit: String? = nil
    ) throws(WebError) -> Double? {
        switch values[name] {
        case nil, .null: return nil
        case .number(let number) where range.contains(number): return number
        default: throw Self.invalid("`\(name)` is not \(Self.text(range, of: unit))")
        }
    }

    /// A number within a range.
    func number(_ name: String, in range: ClosedRange<Double>, of unit: String? = nil) throws(WebError) -> Double {
        guard let number = try optionalNumber(name, in: range, of: unit) else {
            throw Self.invalid("`\(name)` is missing; pass \(Self.text(range, of: unit))")
        }
        return number
    }

    /// The number of a row, a task or a request.
    func identifier(_ name: String) throws(WebError) -> Int {
        guard case .number(let number) = values[name], let whole = Int(exactly: number), whole >= 0 else {
            throw Self.invalid("`\(name)` is not a whole number; pass one that the screen shows as `id`")
        }
        return whole
    }

    /// Yes or no; `fallback` when it is not there, if there is one.
    func flag(_ name: String, or fallback: Bool? = nil) throws(WebError) -> Bool {
        if case .flag(let flag) = values[name] { return flag }
        guard let fallback, !has(name) else { throw Self.invalid("`\(name)` is not true or false; pass one of them") }
        return fallback
    }

    /// A text.
    func text(_ name: String) throws(WebError) -> String {
        guard case .text(let text) = values[name] else { throw Self.invalid("`\(name)` is not a text; pass one") }
        return text
    }

    /// One of a few words.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _: Choice.Type = Choice.self
    ) throws(WebError) -> Choice where Choice.RawValue == String {
        guard case .text(let text) = values[name], let choice = Choice(rawValue: text) else {
            let accepted = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw Self.invalid("`\(name)` is not one of \(accepted)")
        }
        return choice
    }

    /// An instant in ISO 8601 that is still to come.
    ///
    /// - Parameters:
    ///   - name: The argument.
    ///   - now: What the clock shows; the forms that the error names are an hour later, so they are accepted.
    /// - Returns: The instant.
    /// - Throws: ``WebError``, which names two forms that are accepted.
    func instant(_ name: String, after now: WallInstant) throws(WebError) -> WallInstant {
        let example = now.advanced(by: .seconds(3_600)).iso8601
        let advice =
            "pass an instant in ISO 8601 after \(now.iso8601), with its offset from UTC, as in "
            + "\(example) or \(example.dropLast())+00:00"
        guard case .text(let text) = values[name] else { throw Self.invalid("`\(name)` is not a text; \(advice)") }
        guard let instant = try? TimeText.parseISO8601(text, argument: name) else {
            throw Self.invalid("`\(name)` is “\(text.prefix(100))”; \(advice)")
        }
        guard instant > now else { throw Self.invalid("`\(name)` is “\(text)”, which is past; \(advice)") }
        return instant
    }

    /// Whether an argument is there and not null.
    func has(_ name: String) -> Bool {
        switch values[name] {
        case nil, .null: false
        default: true
        }
    }

    private static func text(_ range: ClosedRange<Double>, of unit: String?) -> String {
        let unit = unit.map { " of \($0)" } ?? ""
        return "a number\(unit) from \(range.lowerBound.brief) to \(range.upperBound.brief)"
    }
}
