import ApusJobs
import ApusTimers
import Foundation
import HTTPTypes
import LoopbackWeb

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

    /// A number within a range; `nil` when it is not there or null.
    func optionalNumber(_ name: String, in range: ClosedRange<Double>) throws(WebError) -> Double? {
        switch values[name] {
        case nil, .null: return nil
        case .number(let number) where range.contains(number): return number
        default:
            throw Self.invalid(
                "`\(name)` is not a number from \(Self.text(range.lowerBound)) to "
                    + "\(Self.text(range.upperBound))")
        }
    }

    /// A number within a range.
    func number(_ name: String, in range: ClosedRange<Double>) throws(WebError) -> Double {
        guard let number = try optionalNumber(name, in: range) else {
            throw Self.invalid(
                "`\(name)` is missing; pass a number from \(Self.text(range.lowerBound)) to "
                    + "\(Self.text(range.upperBound))")
        }
        return number
    }

    /// The number of a row, a task or a request.
    func identifier(_ name: String) throws(WebError) -> Int {
        guard let number = Int(exactly: try number(name, in: 0...1e15)) else {
            throw Self.invalid("`\(name)` is not a whole number")
        }
        return number
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

    /// An instant in ISO 8601.
    func instant(_ name: String) throws(WebError) -> WallInstant {
        do {
            return try TimeText.parseISO8601(try text(name), argument: name)
        } catch let error as WebError {
            throw error
        } catch {
            throw Self.invalid("\(error)")
        }
    }

    /// Whether an argument is there and not null.
    func has(_ name: String) -> Bool {
        switch values[name] {
        case nil, .null: false
        default: true
        }
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
    }
}
