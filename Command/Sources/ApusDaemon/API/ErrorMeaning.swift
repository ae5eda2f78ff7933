import ApusClient
import ApusJobs
import HTTPTypes
import LoopbackWeb

/// The answers to the errors of the scheduler, the parsers and the daemon.
enum ErrorMeaning {
    static func answer(to error: any Error) -> WebError? {
        switch error {
        case let error as JobError:
            WebError(status(of: error.code), code: error.code.description, message: error.message)
        case let error as TextError:
            .invalid("\(error)")
        case let error as DaemonError:
            WebError(
                error.code == .notRunning ? .serviceUnavailable : .badRequest, code: error.code.description,
                message: error.message)
        default:
            nil
        }
    }

    private static func status(of code: JobError.Code) -> HTTPResponse.Status {
        switch code {
        case .invalid: .badRequest
        case .notFound: .notFound
        case .ambiguous, .alreadyExists, .conflict: .conflict
        case .full: .init(code: 507, reasonPhrase: "Insufficient Storage")
        default: .serviceUnavailable
        }
    }
}

extension WebError {
    static func invalid(_ message: String) -> WebError { WebError(.badRequest, code: "invalid", message: message) }
}
