import Testing
import TimerWheel

@Suite("TimerWheel compared with a sorted array")
struct TimerWheelModelTests {
    enum Origin: UInt64, CaseIterable {
        case beginning = 0
        case today = 1_800_000_000_000_000_000
        case farEnd = 0xFFFF_FFFF_FFFF_0000
    }

    @Test(
        "a random program of insert, cancel, reset and advance gives the same timers in the same order",
        arguments: Origin.allCases, 0..<30)
    func randomProgram(origin: Origin, seed: Int) {
        var random = Random(seed: UInt64(seed) &* 1_000_003 ^ origin.rawValue)
        var now = origin.rawValue
        var wheel = TimerWheel(now: now)
        var model = Model()
        var handles: [UInt64: TimerHandle] = [:]
        var ended: [TimerHandle] = []

        for step in 0..<400 {
            let place: Comment = "origin \(origin), seed \(seed), step \(step)"
            switch random.below(10) {
            case 0..<4:
                let deadline = deadline(from: now, &random)
                let tolerance = random.below(3) == 0 ? random.anyMagnitude() : 0
                handles[UInt64(step)] = wheel.insert(
                    deadline: deadline, tolerance: tolerance, payload: TimerPayload(UInt64(step)))
                model.insert(
                    deadline: deadline, tolerance: tolerance, payload: UInt64(step), current: wheel.current
                )
            case 4:
                // In some steps, more timers are removed than the wheel leaves in its lists.
                let count = random.below(6) == 0 ? 2 * TimerWheel.mostLeaving : 1
                for (payload, handle) in handles.sorted(by: { $0.key < $1.key }).shuffled(using: &random).prefix(count)
                {
                    #expect(wheel.remove(handle)?.payload.first == payload, place)
                    #expect(wheel.remove(handle) == nil, place)
                    #expect(model.remove(payload) == true, place)
                    handles[payload] = nil
                    ended.append(handle)
                }
            case 5:
                guard let (payload, handle) = handles.sorted(by: { $0.key < $1.key }).randomElement(using: &random)
                else { continue }
                let deadline = deadline(from: now, &random)
                let tolerance = random.below(3) == 0 ? random.anyMagnitude() : 0
                #expect(wheel.reset(handle, deadline: deadline, tolerance: tolerance) == true, place)
                #expect(model.remove(payload) == true, place)
                model.insert(deadline: deadline, tolerance: tolerance, payload: payload, current: wheel.current)
            case 6:
                if let handle = ended.randomElement(using: &random) {
                    #expect(wheel.remove(handle) == nil, place)
                    #expect(wheel.reset(handle, deadline: now, tolerance: 0) == false, place)
                }
            case 7 where random.below(8) == 0:
                // The clock was set back.
                now -= min(now, random.anyMagnitude())
            case 7, 8:
                let (sum, overflow) = now.addingReportingOverflow(random.anyMagnitude())
                now = overflow ? .max : sum
            default:
                now = max(now, wheel.nextWake() ?? now)
            }
            let budget = random.below(4) == 0 ? 1 + random.below(5) : 1_000
            if random.below(2) == 0 {
                let current = wheel.current
                let work = random.below(3) == 0 ? 1 + random.below(4) : .max
                let taken = wheel.takePayloads(now: now, budget: budget, work: work)
                #expect(taken == model.takeDue(now: now, budget: budget, current: current), place)
                if !wheel.isInPass { model.endPass() }
                for payload in taken { if let handle = handles.removeValue(forKey: payload) { ended.append(handle) } }
            }
            // A check of the whole wheel takes most of this test's time, so it is not made in every step. A broken rule
            // stays broken until it is found.
            let fault = step % 5 == 0 || step == 399 ? wheel.brokenInvariant() : nil
            // This is asked only in some steps, because the search unlinks cancelled timers.
            let isAsked = random.below(3) == 0 || step == 399
            let isRight = !isAsked || wheel.nextWake() == model.nextWake
            guard fault == nil, isRight, wheel.count == model.timers.count else {
                let fault = fault ?? "the wheel has \(wheel.count) timers and wakes at \(wheel.nextWake() ?? 0)"
                Issue.record("\(place): \(fault); the model has \(model.timers.count), \(model.nextWake ?? 0)")
                return
            }
        }
    }

    private func deadline(from now: UInt64, _ random: inout Random) -> UInt64 {
        switch random.below(8) {
        case 0: return now
        case 1: return now - min(now, random.anyMagnitude())
        case 2: return random.next()
        case 3: return .max
        case 4: return now &+ UInt64(random.below(4)) < now ? .max : now &+ UInt64(random.below(4))
        default:
            let (sum, overflow) = now.addingReportingOverflow(random.anyMagnitude())
            return overflow ? .max : sum
        }
    }
}
