import ApusDevice
import Foundation
import PlatformC

/// The expectations of Swift Testing in an app's process, where no test runs; a failed expectation is a fault of the
/// app.
///
/// In a process without tests, Swift Testing passes its events, as JSON, to a handler that any library can install
/// (6.3, `_swift_testing_installFallbackEventHandler` of lib_TestingInterop). The function is found by its name,
/// because this module does not depend on a test library; without such a library there are no expectations.
enum AppExpectations {
    private typealias Handler =
        @convention(c) (UnsafePointer<CChar>, UnsafeRawPointer, Int, UnsafeRawPointer?) -> Void
    private typealias Install = @convention(c) (Handler) -> CBool

    /// Reports all further issues to the device, as faults or warnings.
    static func observe() {
        guard let symbol = dlsym(nil, "_swift_testing_installFallbackEventHandler") else { return }
        _ = unsafeBitCast(symbol, to: Install.self)({ _, json, count, _ in
            guard let finding = AppExpectations.finding(in: Data(bytes: json, count: count)) else { return }
            switch finding {
            case .failure(let fault): AppLink.current?.perform(.fault(fault))
            case .warning(let text): AppLink.current?.perform(.warn(text))
            }
        })
    }

    private enum Finding {
        case failure(Fault)
        case warning(String)
    }

    /// Returns the finding of an event; `nil` for known issues, and for events that are not issues.
    private static func finding(in json: Data) -> Finding? {
        guard let event = try? JSONDecoder().decode(Record.self, from: json).payload else {
            return .failure(Fault(.failedExpectation, String(decoding: json, as: UTF8.self)))
        }
        guard event.kind == "issueRecorded", event.issue?.isKnown != true else { return nil }
        let text = event.messages?.map(\.text).joined(separator: "; ") ?? "an issue without a text"
        let place = event.issue?.sourceLocation.map { "\($0.fileID):\($0.line)" }
        return event.issue?.severity == "warning"
            ? .warning(text + (place.map { " (\($0))" } ?? ""))
            : .failure(Fault(.failedExpectation, text, place: place))
    }

    // The parts of Swift Testing's schema that are used here.

    private struct Record: Decodable {
        var payload: Event
    }

    private struct Event: Decodable {
        struct Message: Decodable {
            var text: String
        }
        struct Issue: Decodable {
            var isKnown: Bool?
            var severity: String?
            var sourceLocation: Location?
        }
        struct Location: Decodable {
            var fileID: String
            var line: Int
        }

        var kind: String
        var issue: Issue?
        var messages: [Message]?
    }
}
