import ApusDevice
import Foundation
import PlatformC

/// The expectations of Swift Testing in an app's process, where no test runs: one that fails is a fault of the app.
///
/// Swift Testing gives the events of a process without tests to a handler that any library may set, as JSON (6.3,
/// `_swift_testing_installFallbackEventHandler` of lib_TestingInterop). It is found by its name: this module does not
/// depend on a test library, and a program without one has no expectations.
enum AppExpectations {
    private typealias Handler =
        @convention(c) (UnsafePointer<CChar>, UnsafeRawPointer, Int, UnsafeRawPointer?) -> Void
    private typealias Install = @convention(c) (Handler) -> CBool

    /// From now on `AppLink.current` gets them.
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

    /// Nil for other events, and for issues that are known.
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

    // The parts of the schema that are used.

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
