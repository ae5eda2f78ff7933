import Foundation

/// The contents of a test run's event stream: one JSON record per line, in version 6.3 of Swift Testing's schema.
struct EventReport: Equatable {
    struct Place: Equatable {
        var fileID: String
        var filePath: String
        var line: Int
        var column: Int
    }

    struct RecordedIssue: Equatable {
        /// The lines that the console would show.
        var text: String
        var isKnown = false
        var isWarning = false
        var place: Place?
        /// The instant on the run's wall clock, in seconds since 1970.
        var instant: Double?
        /// The case of a parameterized test that recorded the issue.
        var testCase: String?
    }

    var issues: [RecordedIssue] = []
    /// The message of each attachment that was not saved.
    var lostAttachments: [String] = []
    /// The identifiers of the suites and tests that have started.
    var started: Set<String> = []
    var ended: Set<String> = []
    /// The reasons for which tests were skipped or cancelled, by identifier.
    var skipped: [String: String] = [:]
    var cancelled: [String: String] = [:]
    /// Whether the run came to its end.
    var hasEnded = false
    /// The instant of the last event on the run's wall clock, in seconds since 1970.
    var lastInstant: Double?
    /// Lines that are not records.
    var unreadable: [String] = []
    private var testCase: String?

    /// Reads a whole stream; a last line without a line break is ignored, because the process died while it wrote the
    /// line.
    init(_ stream: some Collection<UInt8>) {
        var lines = stream.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if !lines.isEmpty { lines.removeLast() }
        for line in lines where !line.isEmpty { read(Data(line)) }
    }

    private mutating func read(_ line: Data) {
        let decoder = JSONDecoder()
        guard let kind = try? decoder.decode(RecordKind.self, from: line) else {
            unreadable.append(String(decoding: line, as: UTF8.self))
            return
        }
        guard kind.kind == "event" else { return }
        guard let record = try? decoder.decode(EventRecord.self, from: line) else {
            unreadable.append(String(decoding: line, as: UTF8.self))
            return
        }
        take(record.payload)
    }

    private mutating func take(_ event: Event) {
        lastInstant = event.instant?.since1970 ?? lastInstant
        let text = (event.messages ?? []).map(\.text).joined(separator: "\n")
        let comments = (event.comments ?? []).joined(separator: "\n")
        switch event.kind {
        case "issueRecorded": issues.append(issue(of: event, text: text))
        case "valueAttached": if event.attachment?.path == nil { lostAttachments.append(text) }
        case "testStarted": if let id = event.testID { started.insert(id) }
        case "testEnded": if let id = event.testID { ended.insert(id) }
        case "testSkipped": if let id = event.testID { skipped[id] = text.isEmpty ? comments : text }
        case "testCancelled": if let id = event.testID { cancelled[id] = text.isEmpty ? comments : text }
        case "testCaseStarted": testCase = Self.testCase(in: text)
        case "testCaseEnded": testCase = nil
        case "runEnded": hasEnded = true
        default: break
        }
    }

    private func issue(of event: Event, text: String) -> RecordedIssue {
        RecordedIssue(
            text: text.isEmpty ? "An issue without a text" : text, isKnown: event.issue?.isKnown ?? false,
            isWarning: event.issue?.severity == "warning", place: event.issue?.sourceLocation?.place,
            instant: event.instant?.since1970, testCase: testCase)
    }

    /// Returns the part of a message between "Test case " and " started.", or the whole message if it has another form.
    private static func testCase(in message: String) -> String? {
        let (start, end) = ("Test case ", " started.")
        guard message.hasPrefix(start), message.hasSuffix(end) else { return message.isEmpty ? nil : message }
        return String(message.dropFirst(start.count).dropLast(end.count))
    }
}

// MARK: - The records

private struct RecordKind: Decodable {
    var kind: String
}

private struct EventRecord: Decodable {
    var payload: Event
}

private struct Event: Decodable {
    struct Instant: Decodable {
        var since1970: Double?
    }

    struct Message: Decodable {
        var text: String
    }

    struct Issue: Decodable {
        var isKnown: Bool?
        var severity: String?
        var sourceLocation: Location?
    }

    struct Attachment: Decodable {
        var path: String?
    }

    struct Location: Decodable {
        var fileID: String?
        var filePath: String?
        var line: Int?
        var column: Int?

        /// The place in the source; `nil` if `SourceLocation` would not accept it.
        var place: EventReport.Place? {
            guard let fileID, let filePath, let line, let column, line > 0, column > 0,
                let slash = fileID.firstIndex(of: "/"), slash > fileID.startIndex, fileID.last != "/"
            else { return nil }
            return EventReport.Place(fileID: fileID, filePath: filePath, line: line, column: column)
        }
    }

    var kind: String
    var instant: Instant?
    var messages: [Message]?
    var issue: Issue?
    var attachment: Attachment?
    var testID: String?
    var comments: [String]?

    private enum CodingKeys: String, CodingKey {
        case kind, instant, messages, issue, attachment, testID
        // The key is not a part of the schema yet.
        case comments = "_comments"
    }
}
