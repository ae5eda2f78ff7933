import ApusBackground

/// An error that says why a tap had no effect.
public struct AppError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The input is not accepted; the message contains it and the accepted forms.
        case invalid
        /// The row, task or request does not exist any more.
        case notFound
        /// The change could not be stored.
        case storeFailed
        /// The system does not allow the action now.
        case unavailable
    }

    /// The kind of failure.
    public var code: Code
    /// The description of the problem, with the remedy.
    public var message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: BackgroundError) {
        self.init(
            error.code == .invalidArgument ? .invalid : error.code == .storeFailed ? .storeFailed : .unavailable,
            error.message)
    }

    /// The code and the message in one line.
    public var description: String { "\(code): \(message)" }

    /// Returns the text that the user sees for an error of the library.
    static func text(_ error: any Error) -> String {
        switch error {
        case let error as BackgroundError: error.message
        case let error as BackgroundJobError: error.message
        default: "\(error)"
        }
    }

    /// Returns a number of seconds as a duration, to the nearest nanosecond.
    static func duration(
        _ seconds: Double, in range: ClosedRange<Double>, named name: String
    ) throws(AppError) -> Duration {
        guard range.contains(seconds) else {
            throw AppError(
                .invalid,
                "`\(name)` is \(seconds.brief); pass a number of seconds from \(range.lowerBound.brief) to "
                    + range.upperBound.brief)
        }
        return .nanoseconds(Int64((seconds * 1e9).rounded()))
    }
}

extension Double {
    /// The number as a person writes it, without decimals if there are none.
    public var brief: String { self == rounded() && abs(self) < 1e15 ? "\(Int(self))" : "\(self)" }
}
