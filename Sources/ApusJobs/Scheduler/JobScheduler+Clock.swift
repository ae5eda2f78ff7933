import ApusTimers
import Logging

/// Noticing that somebody set the wall clock.
extension JobScheduler {
    static let clockKey = "clock"

    /// The wall clock, and its distance from the clock that nobody can set.
    func readClocks() -> (now: WallInstant, offset: Int64) {
        let now = engine.time.wall()
        let continuous = engine.time.continuous()
        return (now, Int64(truncatingIfNeeded: now.nanoseconds &- continuous.nanoseconds))
    }

    /// Under a second is the slewing and the stepping of network time, which nobody wants jobs to be moved for.
    func hasMoved(_ offset: Int64) -> Bool {
        (offset &- locked(\.clockOffset)).magnitude >= 1_000_000_000
    }

    func clockRecord(_ offset: Int64) -> String { "\(configuration.bootID ?? "-") \(offset)" }

    /// The stored offset, if it is from this boot of the machine: across boots the two clocks cannot be compared.
    func storedOffset() async throws -> Int64? {
        guard let bootID = configuration.bootID, let record = try await store.metadata(Self.clockKey) else {
            return nil
        }
        let parts = record.split(separator: " ")
        guard parts.count == 2, parts[0] == bootID else { return nil }
        return Int64(parts[1])
    }

    /// Moves relative jobs along if the wall clock was set, while no transition is under way; then looks at everything
    /// again.
    func clockMoved() async {
        let isMine = locked { state in
            guard !state.isGateClosed, state.phase == .running || state.phase == .stopping else { return false }
            state.isGateClosed = true
            return true
        }
        guard isMine else { return await waitForGate() }
        await withCheckedContinuation { continuation in
            let isEmpty = locked { state in
                if state.inside > 0 { state.gateEmptied = continuation }
                return state.inside == 0
            }
            if isEmpty { continuation.resume() }
        }
        let delta = await shift()
        locked { state in
            state.isGateClosed = false
            state.deferred += state.gateWaiters.map { .resume($0) }
            state.gateWaiters = []
            guard delta != nil else { return }
            for id in state.entries.keys {
                if state.entries[id]!.isStale { state.kick(id) } else { rearm(id, &state) }
            }
            state.loadBy = nil
            if let timer = state.loadTimer { state.deferred.append(.cancel(timer)) }
            state.loadTimer = nil
            state.deferred.append(.load)
        }
        guard let delta else { return }
        logger.notice("the wall clock was set", metadata: ["by": "\(delta)"])
        hub.emit(.clockChanged(by: delta))
    }

    private func shift() async -> Duration? {
        var failures = 0
        while true {
            let (_, offset) = readClocks()
            guard hasMoved(offset) else { return nil }
            let (epoch, old) = locked { ($0.epoch, $0.clockOffset) }
            let delta = Duration.nanoseconds(offset &- old)
            do {
                // The record first: a store may keep it for the next transaction, and then both happen or none.
                try await store.setMetadata(Self.clockKey, to: clockRecord(offset), epoch: epoch)
                try await store.shiftRelativeJobs(by: delta, epoch: epoch)
                locked { state in
                    state.clockOffset = offset
                    for id in state.entries.keys { state.entries[id]!.isStale = true }
                }
                return delta
            } catch let error as JobError where error.code == .notOwner || error.code == .closed {
                await halt(error)
                locked { $0.clockOffset = offset }
                return nil
            } catch {
                failures += 1
                noteStoreFails(error)
                if locked({ $0.phase != .running }) {
                    locked { $0.clockOffset = offset }
                    return nil
                }
                await pause(Self.backoff(failures))
            }
        }
    }
}
