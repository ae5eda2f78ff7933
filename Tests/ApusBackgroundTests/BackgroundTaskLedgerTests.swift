import Testing

@testable import ApusBackground

@Suite("The ledger of background tasks")
struct BackgroundTaskLedgerTests {
    private func begin(
        _ ledger: inout BackgroundTaskLedger<String>, _ name: String
    ) -> BackgroundTaskLedger<String>.BackgroundTaskID? {
        guard case .granted(let id) = ledger.begin(name) else { return nil }
        return id
    }

    /// Compares two values, because `#expect` cannot evaluate an expression that mutates.
    private func check<Value: Equatable>(
        _ value: Value, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(value == expected, sourceLocation: sourceLocation)
    }

    @Test("a background task ends once, and the end of the last one is reported")
    func endsOnce() throws {
        var ledger = BackgroundTaskLedger<String>()
        let first = try #require(begin(&ledger, "first"))
        let second = try #require(begin(&ledger, "second"))
        #expect(ledger.openBackgroundTasks == ["first", "second"])
        check(ledger.end(first), .ended)
        check(ledger.end(first), .alreadyEnded)
        check(ledger.end(second), .endedLast)
        check(ledger.end(second), .alreadyEnded)
    }

    @Test("background tasks expire once, in the order of their beginning, and nothing is granted after that")
    func expiresOnce() throws {
        var ledger = BackgroundTaskLedger<String>()
        for name in ["a", "b", "c"] { _ = begin(&ledger, name) }
        check(ledger.expire().map(\.payload), ["a", "b", "c"])
        check(ledger.expire().map(\.payload), [])
        check(begin(&ledger, "late"), nil)
        #expect(ledger.openBackgroundTasks == ["a", "b", "c"])
        ledger.reopen()
        let again = begin(&ledger, "again")
        #expect(again != nil)
    }

    @Test("a busy ledger does not close, and an idle one closes for good")
    func closes() throws {
        var ledger = BackgroundTaskLedger<String>()
        let id = try #require(begin(&ledger, "work"))
        var didClose = ledger.closeIfIdle()
        #expect(!didClose)
        check(ledger.end(id), .endedLast)
        didClose = ledger.closeIfIdle()
        #expect(didClose)
        check(begin(&ledger, "late"), nil)
        check(ledger.expire().map(\.payload), [])
    }
}
