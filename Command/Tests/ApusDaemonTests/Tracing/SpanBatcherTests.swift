import ApusTimers
import Testing

@testable import ApusClient
@testable import ApusDaemon

private func at(_ seconds: Double) -> ContinuousInstant {
    ContinuousInstant(nanoseconds: 1_000_000_000).advanced(by: .seconds(seconds))
}

/// What a test looks for.
private struct Effects: Equatable {
    var sent: [[Int]] = []
    var notices: [SpanBatcher<Int>.Notice] = []
    var finishes = 0

    init(_ effects: [SpanBatcher<Int>.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let items): sent.append(items)
            case .log(let notice): notices.append(notice)
            case .finish: finishes += 1
            }
        }
    }

    static let none = Effects([])
    static func send(_ items: [Int]) -> Effects { Effects([.send(items)]) }
    static func log(_ notice: SpanBatcher<Int>.Notice) -> Effects { Effects([.log(notice)]) }
    static let finish = Effects([.finish])
}

@Suite("The batches of spans")
struct SpanBatcherTests {
    private var batcher = SpanBatcher<Int>(SpanBatching(queue: 4, batch: 3, delay: .seconds(5)))

    private mutating func add(_ items: ClosedRange<Int>, at seconds: Double = 0) -> [Effects] {
        items.map { Effects(batcher.add($0, now: at(seconds))) }
    }

    private mutating func answer(_ answer: SpanAnswer, at seconds: Double = 0, share: Double = 1) -> Effects {
        Effects(batcher.answered(answer, now: at(seconds), share: share))
    }

    @Test("the first span starts the delay, at whose end all that wait are sent; without spans there is no timer")
    mutating func delay() {
        #expect(batcher.timer == nil)
        #expect(add(1...2) == [.none, .none] && batcher.timer == at(5))
        #expect(Effects(batcher.timerFired(now: at(4.9))) == .none)
        #expect(Effects(batcher.timerFired(now: at(5))) == .send([1, 2]) && batcher.timer == nil)
        #expect(answer(.accepted) == .none && batcher.timer == nil && batcher.waiting == 0)
        #expect(Effects(batcher.timerFired(now: at(9))) == .none)
    }

    @Test("a full batch is sent at once, one at a time; what comes meanwhile has a delay of its own")
    mutating func full() {
        #expect(add(1...3) == [.none, .none, .send([1, 2, 3])] && batcher.timer == nil)
        #expect(add(4...7) == [.none, .none, .none, .none])
        #expect(answer(.accepted, at: 1) == .send([4, 5, 6]) && batcher.timer == nil)
        #expect(answer(.accepted, at: 2) == .none && batcher.timer == at(7))
    }

    @Test("spans for which there is no room are dropped, which is logged once, with their number at the end")
    mutating func dropping() {
        _ = add(1...7)
        #expect(add(8...9) == [.log(.full(4)), .none] && batcher.waiting == 4)
        #expect(answer(.accepted).notices == [.recovered(lost: 2)])
        _ = add(10...12)
        #expect(add(13...13) == [.log(.full(4))])
    }

    @Test("an attempt that failed is repeated after pauses that double, up to a limit, and then the batch is dropped")
    mutating func retries() {
        _ = add(1...3)
        var now = 0.0
        var pauses: [Double] = []
        var notices: [SpanBatcher<Int>.Notice] = []
        while true {
            notices += answer(.unavailable("refused", retryAfter: nil), at: now).notices
            guard let next = batcher.timer else { break }
            pauses.append(at(now).duration(to: next) / .seconds(1))
            now += pauses.last!
            #expect(Effects(batcher.timerFired(now: at(now))) == .send([1, 2, 3]))
        }
        #expect(pauses == [1, 2, 4, 8, 16] && notices == [.failing("refused"), .lost(3, "refused")])
        #expect(batcher.waiting == 0 && batcher.out == 0)
        _ = add(4...6, at: now)
        #expect(answer(.unavailable("refused", retryAfter: nil), at: now) == .none, "logged once")
        _ = batcher.timerFired(now: batcher.timer!)
        #expect(answer(.accepted, at: now + 1) == .log(.recovered(lost: 3)))
    }

    @Test("half of a pause is at random, and what the collector asks for is the least")
    mutating func pauses() {
        _ = add(1...3)
        _ = answer(.unavailable("HTTP 503", retryAfter: nil), share: 0)
        #expect(batcher.timer == at(0.5))
        _ = batcher.timerFired(now: at(0.5))
        _ = answer(.unavailable("HTTP 503", retryAfter: .seconds(7)), at: 1, share: 0)
        #expect(batcher.timer == at(8))
        _ = batcher.timerFired(now: at(8))
        #expect(answer(.unavailable("HTTP 503", retryAfter: .seconds(53)), at: 8) == .log(.lost(3, "HTTP 503")))
        #expect(batcher.timer == nil)
    }

    @Test("a refused batch, or the refused part of one, is not sent again")
    mutating func refused() {
        _ = add(1...3)
        #expect(answer(.refused("HTTP 400")) == .log(.lost(3, "HTTP 400")))
        _ = add(4...6)
        #expect(answer(.accepted(butFor: 1, reason: "too old")) == .none, "logged once")
        _ = add(7...9)
        #expect(answer(.accepted) == .log(.recovered(lost: 4)))
        _ = add(10...12)
        #expect(answer(.accepted(butFor: 1, reason: "too old")) == .log(.lost(1, "too old")))
    }

    @Test("a stop sends what waits, a batch after the other, and finishes")
    mutating func stops() {
        #expect(Effects(batcher.stop(now: at(0))) == .finish, "at once when nothing waits")
        #expect(add(1...3) == [.none, .none, .none] && batcher.waiting == 0)
        batcher = SpanBatcher(batcher.batching)
        _ = add(1...7)
        #expect(Effects(batcher.stop(now: at(0))) == .none)
        #expect(answer(.accepted) == .send([4, 5, 6]))
        #expect(add(8...8) == [.none])
        #expect(answer(.accepted) == .send([7, 8]) && batcher.timer == nil)
        #expect(answer(.accepted) == .finish && batcher.timer == nil)
        batcher = SpanBatcher(batcher.batching)
        _ = add(1...1)
        #expect(Effects(batcher.stop(now: at(1))) == .send([1]) && batcher.timer == nil)
    }

    @Test(
        "a stop makes no pauses: the first batch that is not accepted is the last, and so it is when the time is over")
    mutating func endings() {
        _ = add(1...7)
        _ = answer(.unavailable("refused", retryAfter: .seconds(30)))
        #expect(Effects(batcher.stop(now: at(0))) == .send([1, 2, 3]) && batcher.timer == nil)
        let last = answer(.unavailable("refused", retryAfter: nil))
        #expect(last.notices == [.lost(7, "refused"), .ended(lost: 7)] && last.finishes == 1 && last.sent.isEmpty)
        batcher = SpanBatcher(batcher.batching)
        _ = add(1...7)
        _ = batcher.stop(now: at(0))
        let abandoned = Effects(batcher.abandon("too late"))
        #expect(abandoned.notices == [.lost(7, "too late"), .ended(lost: 7)] && abandoned.finishes == 1)
        #expect(answer(.accepted) == .none && Effects(batcher.abandon("too late")) == .none)
    }

    @Test("random programs keep the invariants: no span is sent again after its answer, and each is accounted for")
    func programs() {
        for seed in 0..<500 as Range<UInt64> {
            var program = RandomProgram(seed: seed)
            for step in 0..<200 {
                program.step()
                if let objection = program.objection {
                    Issue.record("seed \(seed), step \(step): \(objection)")
                    return
                }
            }
            program.end()
            if let objection = program.objection {
                Issue.record("seed \(seed), at the end: \(objection)")
                return
            }
        }
    }
}

/// Events at random, with a model of what became of each span.
private struct RandomProgram {
    private var batcher: SpanBatcher<Int>
    private let random: SeededRandom
    private var now = at(0)
    private var added = 0
    private var accepted = 0
    /// How many are reported as lost.
    private var reported = 0
    /// The batch without an answer; empty if there is none.
    private var out: [Int] = []
    /// The batch that may be sent again.
    private var retried: [Int] = []
    /// The spans that have been in a batch end before this one.
    private var sent = 0
    private var finishes = 0
    private(set) var objection: String?

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        let queue = Int(random.next() % 12) + 1
        batcher = SpanBatcher(
            SpanBatching(
                queue: queue, batch: Int(random.next() % UInt64(queue)) + 1, delay: .seconds(Int(random.next() % 4)),
                patience: .seconds(Int(random.next() % 40))))
    }

    private func pick(_ count: UInt64) -> Int { Int(random.next() % count) }

    mutating func step() {
        switch pick(8) {
        case 0...3: add()
        case 4...5: if !out.isEmpty { answer() }
        default:
            now = now.advanced(by: .milliseconds(pick(3_000)))
            // Sometimes the timer is late.
            if let timer = batcher.timer, timer <= now, pick(4) > 0 { take(batcher.timerFired(now: now)) }
        }
        check()
    }

    mutating func end() {
        take(batcher.stop(now: now))
        while finishes == 0, objection == nil {
            switch pick(5) {
            case 0: add()
            case 1 where pick(4) == 0:
                take(batcher.abandon("the end"))
                out = []
            default: answer()
            }
            check()
        }
        if batcher.timer != nil { objection = "a timer remains" }
        if added != accepted + reported { objection = "\(added) added, \(accepted) accepted, \(reported) lost" }
    }

    private mutating func add() {
        guard finishes == 0 else { return }
        added += 1
        take(batcher.add(added, now: now))
    }

    private mutating func answer() {
        guard !out.isEmpty else {
            objection = "no batch is out, and there is no end"
            return
        }
        let batch = out
        out = []
        let answer: SpanAnswer
        switch pick(6) {
        case 0: answer = .refused("no")
        case 1...2:
            answer = .unavailable("later", retryAfter: pick(2) == 0 ? .seconds(pick(20)) : nil)
            retried = batch
        case 3:
            let rejected = pick(UInt64(batch.count)) + 1
            answer = .accepted(butFor: rejected, reason: "some")
            accepted += batch.count - rejected
        default:
            answer = .accepted
            accepted += batch.count
        }
        take(batcher.answered(answer, now: now, share: Double(pick(1_000)) / 1_000))
    }

    private mutating func take(_ effects: [SpanBatcher<Int>.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let items):
                if !out.isEmpty { objection = "a batch is sent while one is out" }
                if items.isEmpty { objection = "an empty batch is sent" }
                // The same batch again, or the next spans in their order.
                if items != retried {
                    if items.contains(where: { $0 <= sent }) || items != items.sorted() {
                        objection = "\(items) are sent after \(sent)"
                    }
                    sent = items.last ?? sent
                }
                retried = []
                out = items
            case .log(.recovered(let lost)), .log(.ended(let lost)): reported += lost
            case .log: break
            case .finish: finishes += 1
            }
        }
    }

    private mutating func check() {
        if let broken = batcher.brokenInvariant { objection = broken }
        if batcher.timer != nil, batcher.waiting + batcher.out == 0 { objection = "a timer without spans" }
        if finishes > 1 { objection = "finished twice" }
    }
}
