import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

@testable import ApusJobs

@Suite("The events of a scheduler")
struct EventTests {
    @Test("a subscriber that does not read during a flood of output gets every run's end, and marks for dropped output")
    func flood() throws {
        let harness = try SchedulerHarness(
            configuration: .init(maximumConcurrentRuns: 16, bootID: "boot", outputBufferBytes: 64 << 10))
        harness.scheduler.register("flood") { run in
            for _ in 0..<500 { run.emit(output: [UInt8](repeating: 0x78, count: 8_192)) }
        }
        let events = harness.scheduler.events()
        for number in 0..<100 { try harness.submit("job\(number)", .after(.seconds(1)), kind: "flood") }
        harness.advance(10)
        let scheduler = harness.scheduler
        let seen = try harness.time.perform { () -> (ended: Set<JobID>, output: Int, dropped: Int, lost: Int) in
            await scheduler.stop(grace: .zero)
            var seen: (ended: Set<JobID>, output: Int, dropped: Int, lost: Int) = ([], 0, 0, 0)
            for await event in events {
                switch event {
                case .runEnded(let run): seen.ended.insert(run.jobID)
                case .output(_, _, _, _, let bytes): seen.output += bytes.count
                case .dropped(let events, let bytes):
                    seen.lost += events
                    seen.dropped += bytes
                default: break
                }
            }
            return seen
        }
        #expect(seen.ended.count == 100 && seen.lost == 0, "output gives way, and nothing else")
        #expect(seen.output <= 64 << 10 && seen.dropped > 0)
        // Each event counts as 128 bytes in addition to its output, so the sum is at least the size of the output.
        #expect(seen.output + seen.dropped >= 100 * 500 * 8_192)
    }

    @Test("a subscriber with more unread events than the bound loses the oldest ones and learns their number")
    func tooSlow() throws {
        let harness = try SchedulerHarness(configuration: .init(bootID: "boot", eventBufferBytes: 16 << 10))
        let events = harness.scheduler.events()
        for number in 0..<200 { try harness.submit("job\(number)", .after(.seconds(1))) }
        let scheduler = harness.scheduler
        let names = try harness.time.perform { () -> [String] in
            await scheduler.stop(grace: .zero)
            var names: [String] = []
            for await event in events {
                switch event {
                case .submitted(let job): names.append(job.id.rawValue)
                case .dropped(let events, _): names.append("dropped \(events)")
                default: break
                }
            }
            return names
        }
        let dropped = try #require(names.first.flatMap { Int($0.dropFirst("dropped ".count)) })
        #expect(names.dropFirst() == (dropped..<200).map { "job\($0)" }[...])
    }

    @Test("the first subscriber makes a shared store ask the other schedulers for their events")
    func requests() {
        let asked = RefusingStore(MemoryStore())
        let hub = EventHub(limits: .init(bulkBytes: 1, bytes: 1))
        let early = hub.subscribe()
        hub.relay(through: FaultyStore(asked), in: .sample(isShared: true))
        #expect(asked.requestedEvents == 1, "a subscriber came before the store was open")
        let second = hub.subscribe()
        #expect(asked.requestedEvents == 1, "the second subscriber is not the first one")
        _ = (consume early, consume second)
        #expect(hub.count == 0)
        let later = hub.subscribe()
        #expect(asked.requestedEvents == 2)
        _ = consume later
    }

    @Test("an abandoned event stream costs nothing")
    func droppedStream() throws {
        let harness = try SchedulerHarness()
        for _ in 0..<3 { _ = harness.scheduler.events() }
        #expect(harness.scheduler.subscriberCount == 0)
        let kept = harness.scheduler.events()
        #expect(harness.scheduler.subscriberCount == 1)
        _ = consume kept
        #expect(harness.scheduler.subscriberCount == 0)
    }
}
