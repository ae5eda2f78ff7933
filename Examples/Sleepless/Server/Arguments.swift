import ApusJobs
import ApusTimers
import Foundation
import HTTPTypes
import LoopbackWeb
import SleeplessApp

/// The JSON object in the body of a POST.
///
/// An error about an argument names the argument and the accepted values.
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

    /// Reads the arguments.
    ///
    /// - Parameter body: A JSON object, or no bytes.
    /// - Throws: ``WebError`` if the body is not a JSON object.
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

    /// Rejects unknown arguments, because a misspelt argument would silently change the request.
    ///
    /// - Parameters:
    ///   - names: The names of all known arguments.
    ///   - action: The name of the action.
    /// - Throws: ``WebError``, whose message contains the unknown and the accepted arguments.
    func accept(only names: [String], in action: String) throws(WebError) {
        let unknown = values.keys.filter { !names.contains($0) }.sorted()
        guard !unknown.isEmpty else { return }
        let list = unknown.map { "`\($0)`" }.joined(separator: ", ")
        throw Self.invalid(
            "“\(action)” has no argument \(list); "
                + (names.isEmpty ? "pass none" : "it takes \(names.map { "`\($0)`" }.joined(separator: ", "))"))
    }

    /// Rejects a request that contains both of two alternative arguments.
    func acceptOne(of one: String, _ other: String) throws(WebError) {
        if has(one), has(other) { throw Self.invalid("pass `\(one)` or `\(other)`, not both") }
    }

    /// Returns a number within a range; `nil` if the argument is missing or null.
    func optionalNumber(
        _ name: String, in range: ClosedRange<Double>, of unit: String? = nil
    ) throws(WebError) -> Double? {
        switch values[name] {
        case nil, .null: return nil
        case .number(let number) where range.contains(number): return number
        default: throw Self.invalid("`\(name)` is not \(Self.text(range, of: unit))")
        }
    }

    func number(_ name: String, in range: ClosedRange<Double>, of unit: String? = nil) throws(WebError) -> Double {
        guard let number = try optionalNumber(name, in: range, of: unit) else {
            throw Self.invalid("`\(name)` is missing; pass \(Self.text(range, of: unit))")
        }
        return number
    }

    /// Returns the number of a row, a task or a request.
    func identifier(_ name: String) throws(WebError) -> Int {
        guard case .number(let number) = values[name], let whole = Int(exactly: number), whole >= 0 else {
            throw Self.invalid("`\(name)` is not a whole number; pass an `id` that the screen shows")
        }
        return whole
    }

    /// Returns a Boolean value, or `fallback` if the argument is missing and there is a fallback.
    func flag(_ name: String, or fallback: Bool? = nil) throws(WebError) -> Bool {
        if case .flag(let flag) = values[name] { return flag }
        guard let fallback, !has(name) else { throw Self.invalid("`\(name)` is not true or false; pass one of these") }
        return fallback
    }

    func text(_ name: String) throws(WebError) -> String {
        guard case .text(let text) = values[name] else { throw Self.invalid("`\(name)` is not a text; pass a string") }
        return text
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _: Choice.Type = Choice.self
    ) throws(WebError) -> Choice where Choice.RawValue == String {
        guard case .text(let text) = values[name], let choice = Choice(rawValue: text) else {
            let accepted = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw Self.invalid("`\(name)` is not one of \(accepted)")
        }
        return choice
    }

    /// Returns the future instant that an argument contains in ISO 8601.
    ///
    /// - Parameters:
    ///   - name: The name of the argument.
    ///   - now: The wall clock. The examples in the error are an hour later, so that they would be accepted.
    /// - Returns: The instant.
    /// - Throws: ``WebError``, whose message contains two accepted forms.
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

    /// Returns whether an argument is present and not null.
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
