#if Postgres
    import ApusTimers
    import Testing

    @testable import ApusPostgres

    @Suite("Requests for the events of other nodes")
    final class EventRequestsTests {
        private typealias Request = EventRequests.Request

        private let start = SystemTime().continuous()
        private var requests = EventRequests(node: 1, timing: MembershipMachine.Timing(patience: .seconds(3)))

        private func at(_ seconds: Double) -> ContinuousInstant { start.advanced(by: .seconds(seconds)) }

        private func subscribe(at seconds: Double) -> Request? { requests.subscribe(at: at(seconds)) }

        private func beat(hasOthers: Bool = true, hasSubscribers: Bool = false, at seconds: Double) -> Request? {
            requests.beat(hasOthers: hasOthers, hasSubscribers: hasSubscribers, at: at(seconds))
        }

        private func receive(from node: Int64 = 2, age: Double = 3, period: Double = 5, at seconds: Double) -> Bool {
            requests.receive(
                Request(node: node, age: .seconds(age), period: .seconds(period)), at: at(seconds))
        }

        private func mustSend(at seconds: Double) -> Bool { requests.mustSend(at: at(seconds)) }

        private var isSending: Bool { requests.isSending }

        private func own(age: Double) -> Request { Request(node: 1, age: .seconds(age), period: .seconds(5)) }

        @Test("the first subscriber of a node causes a request, and each beat repeats it")
        func asking() {
            #expect(beat(at: 0) == nil)
            #expect(subscribe(at: 0.5) == own(age: 3))
            #expect(subscribe(at: 0.75) == nil, "the request of 0.25 s ago is recent enough")
            #expect(beat(hasSubscribers: true, at: 1) == own(age: 3.5))
            #expect(beat(at: 2) == nil)
            #expect(subscribe(at: 4) == own(age: 3), "the age does not count the time without subscribers")
        }

        @Test("a node that is alone sends no request until a beat finds another node")
        func alone() {
            #expect(beat(hasOthers: false, at: 0) == nil)
            #expect(subscribe(at: 1) == nil)
            #expect(beat(hasOthers: false, hasSubscribers: true, at: 2) == nil)
            #expect(beat(hasSubscribers: true, at: 3) == own(age: 5))
        }

        @Test("a node sends its events for the period of the last request of another node")
        func sending() {
            #expect(!receive(from: 1, at: 0))
            #expect(!isSending, "the request was the node's own")
            #expect(!receive(at: 1))
            #expect(isSending)
            #expect(!receive(from: 3, period: 1, at: 2))
            #expect(beat(at: 5.75) == nil)
            #expect(isSending, "the shorter period of a second request does not end the first one")
            #expect(!receive(at: 5.75))
            #expect(beat(at: 10.5) == nil)
            #expect(isSending)
            #expect(beat(at: 10.75) == nil)
            #expect(!isSending)
        }

        @Test(
            "a node that begins to send reports dropped events if it changed anything while the subscribers waited",
            arguments: [(0, 10, true), (0, 10.25, false), (5, 10, true)])
        func reporting(changed: Double, requested: Double, isReported: Bool) {
            requests.change(at: at(changed))
            // A change counts if it was at most 10 s ago: the age of the request, 7 s, plus the node's patience, 3 s.
            #expect(receive(age: 7, at: requested) == isReported)
            #expect(mustSend(at: requested))
            #expect(!receive(age: 7, at: requested + 1), "each event was sent since the first request")
        }

        @Test("an event that is not sent counts as a change")
        func unsent() {
            #expect(!mustSend(at: 0))
            #expect(receive(age: 1, at: 4))
            #expect(mustSend(at: 4))
        }

        @Test("a request is read from its payload, and nothing else is")
        func payload() {
            let request = Request(node: .max, age: .milliseconds(3_001), period: .seconds(18_000))
            #expect(Request(request.payload) == request)
            #expect(
                Request(Request(node: 1, age: .nanoseconds(1), period: .seconds(5)).payload)?.age == .milliseconds(1))
            for text in ["", "wanted", "wanted 1 2", "wanted 1 2 -3", "wanted 1 2 3 4", "{\"node\":1}", "joined 1 2 3"]
            {
                #expect(Request(text) == nil, "\(text)")
            }
        }
    }
#endif
