import Testing

@testable import LoopbackWeb

@Suite("Which connections a listener serves")
struct ConnectionTableTests {
    @Test("every connection is served and none closed while there are free places")
    func places() {
        var table = ConnectionTable(places: 2)
        #expect(table.accepts)
        #expect(table.opened().opening == .serve(closing: nil) && table.accepts)
        #expect(table.opened().opening == .serve(closing: nil))
        #expect(table.accepts, "an unadmitted connection can be closed for the next one")
    }

    @Test(
        "the oldest unadmitted connection without a request is closed for a new connection, before one with a request")
    func eviction() {
        var table = ConnectionTable(places: 3)
        let (busy, idle, other) = (table.opened().id, table.opened().id, table.opened().id)
        table.requestBegan(busy)
        #expect(table.opened().opening == .serve(closing: idle))
        #expect(table.opened().opening == .serve(closing: other))
        table.answered(busy)
        #expect(table.opened().opening == .serve(closing: busy), "without a request it is the oldest again")
    }

    @Test("an unadmitted connection with a request is closed only if there is no other")
    func busyUnadmitteds() {
        var table = ConnectionTable(places: 1)
        let busy = table.opened().id
        table.requestBegan(busy)
        #expect(table.opened().opening == .serve(closing: busy))
    }

    @Test("an admitted client is never closed for another, and new connections wait for a place, oldest first")
    func clients() {
        var table = ConnectionTable(places: 1)
        let client = table.opened().id
        table.admitted(client)
        #expect(!table.accepts)
        let (first, second) = (table.opened(), table.opened())
        #expect(first.opening == .hold && second.opening == .hold)
        // A waiting connection is not read, so a request on it changes nothing.
        table.requestBegan(first.id)
        #expect(table.closed(client) == first.id)
        #expect(!table.accepts, "another is held")
        #expect(table.closed(second.id) == nil)
        #expect(table.accepts, "the first is unadmitted")
        #expect(table.closed(first.id) == nil && table.closed(first.id) == nil && table.accepts)
    }

    @Test("a waiting connection that closes is not served afterwards")
    func heldAndClosed() {
        var table = ConnectionTable(places: 1)
        let client = table.opened().id
        table.admitted(client)
        let (gone, waiting) = (table.opened().id, table.opened().id)
        #expect(table.closed(gone) == nil)
        #expect(table.closed(client) == waiting)
    }
}
