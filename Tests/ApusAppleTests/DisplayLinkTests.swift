import ApusBackground
import ApusDevice
import SimulatedAppleCore
import Testing
import UIKit

@testable import ApusApple
@testable import ApusTimers

extension ApusAppleTests {
    @MainActor
    @Suite("DisplayLink")
    struct Links {
        /// Runs a display link whose frames are recorded in the journal.
        private func run(
            mode: MainLoopMode = .common, preferred: Int? = nil,
            _ body: (SimulatedDevice, Frames) throws -> Void
        ) throws {
            try SimulatedDevice.run { device in
                let frames = Frames()
                device.launchPort { _ in
                    DisplayLink(preferredFramesPerSecond: preferred, mode: mode) { frame in
                        frames.add(frame)
                    }
                }
                try body(device, frames)
            }
        }

        private final class Frames: Sendable {
            private let frames = Locked<[Frame]>([])
            func add(_ frame: Frame) { frames.withLock { $0.append(frame) } }
            var all: [Frame] { frames.withLock { $0 } }
        }

        private func link(_ device: SimulatedDevice) throws -> DisplayLink { try device.built() }

        @Test("a new display link is paused, and a running one has a frame for each of the display's")
        func frames() throws {
            try run { device, frames in
                device.advance(by: .seconds(1))
                #expect(frames.all.count == 0)
                try #expect(link(device).isPaused)
                try link(device).isPaused = false
                device.advance(by: .seconds(1))
                let frames = frames.all
                #expect(frames.map(\.number) == Array(1...60))
                #expect(frames.allSatisfy { $0.droppedFrameCount == 0 && $0.timestamp.clock == .uptime })
                for (frame, next) in zip(frames, frames.dropFirst()) {
                    let gap = Int64(next.timestamp.nanoseconds) - Int64(frame.targetTimestamp.nanoseconds)
                    // An hour of uptime as a floating-point number of seconds is exact to half a picosecond.
                    #expect(abs(gap) < 10, "the target of a frame is the next one")
                    #expect(abs(frame.duration / .seconds(1) - 1 / 60) < 1e-8)
                }
            }
        }

        @Test("the rate is the nearest divisor of the display's rate to the preferred one, and can be changed")
        func rates() throws {
            try run(preferred: 35) { device, frames in
                try #expect(link(device).preferredFramesPerSecond == 35)
                try link(device).isPaused = false
                device.advance(by: .seconds(1))
                #expect(frames.all.count == 30)
                try link(device).preferredFramesPerSecond = -3
                device.advance(by: .seconds(1))
                #expect(abs(frames.all.count - 90) <= 1)
                try #expect(link(device).droppedFrameCount == 0)
            }
        }

        @Test("a paused display link continues with the next frame number, without dropped frames")
        func pause() throws {
            try run { device, frames in
                try link(device).isPaused = false
                device.advance(by: .seconds(1))
                try link(device).isPaused = true
                device.advance(by: .seconds(10))
                #expect(frames.all.count == 60)
                try link(device).isPaused = false
                device.advance(by: .seconds(1))
                #expect(frames.all.map(\.number) == Array(1...120))
                try #expect(link(device).droppedFrameCount == 0)
            }
        }

        @Test("frames that pass while the main loop is busy or the app suspended count as dropped")
        func dropped() throws {
            try run { device, frames in
                try link(device).isPaused = false
                device.advance(by: .seconds(1))
                device.host?.mainLoop.run { [weak device] in device?.host?.work(for: .milliseconds(500)) }
                device.advance(by: .seconds(1))
                try #expect(link(device).droppedFrameCount == 29)
                #expect(frames.all.last?.number == 120)
                device.pressHome()
                device.advance(by: .seconds(100))
                device.open()
                device.advance(by: .seconds(1))
                #expect(frames.all.last?.number == 103 * 60)
            }
        }

        @Test("a display link in default mode has no frames while the user scrolls")
        func scrolling() throws {
            for (mode, count) in [(MainLoopMode.common, 60), (.default, 0)] {
                try run(mode: mode) { device, frames in
                    try link(device).isPaused = false
                    device.scroll(for: .milliseconds(999))
                    #expect(abs(frames.all.count - count) <= 1)
                }
            }
        }

        @Test("an invalidated link and a released link make no more calls, even if invalidated in their own handler")
        func invalidate() throws {
            try SimulatedDevice.run { device in
                let journal = Journal(device)
                device.launchPort { _ in Holder(journal) }
                let holder: Holder = try device.built()
                device.advance(by: .seconds(1))
                #expect(journal.all == ["0 frame"])
                #expect(holder.link?.isPaused == true)
                holder.link?.isPaused = false
                device.advance(by: .seconds(1))
                #expect(journal.all == ["0 frame"])
                holder.link = DisplayLink { _ in journal.note("another") }
                holder.link?.isPaused = false
                weak let gone = holder.link
                holder.link = nil
                #expect(gone == nil, "the run loop does not keep it")
                device.advance(by: .seconds(1))
                #expect(journal.all == ["0 frame"])
            }
        }

        private final class Holder {
            var link: DisplayLink?

            @MainActor
            init(_ journal: Journal) {
                link = DisplayLink { [weak self] _ in
                    journal.note("frame")
                    self?.link?.cancel()
                }
                link?.isPaused = false
            }
        }
    }
}

@Suite("What a display link says")
struct DisplayLinkMachineTests {
    /// Returns the length of a frame in milliseconds.
    private func length(_ frame: Frame?) -> Double? {
        frame.map { (Double($0.targetTimestamp.nanoseconds - $0.timestamp.nanoseconds) / 1e6).rounded() }
    }

    @Test("a frame with a zero, stale or NaN target ends one previous frame length later")
    func targets() {
        for bad in [0, 0.5, 5, .nan, -.infinity] as [Double] {
            var machine = DisplayLinkMachine()
            let first = machine.called(timestamp: 1, targetTimestamp: 1.125, duration: 0.0625)
            #expect(length(first) == 125)
            #expect(first?.duration == .milliseconds(62.5))
            machine.interrupted()
            let second = machine.called(timestamp: 5, targetTimestamp: bad, duration: .nan)
            #expect(length(second) == 125)
            #expect(second?.droppedFrameCount == 0)
            #expect(second?.number == 2)
        }
    }

    @Test("without a previous frame, the display's own frame length counts")
    func firstTarget() {
        var machine = DisplayLinkMachine()
        let frame = machine.called(timestamp: 1, targetTimestamp: 0, duration: 0.25)
        #expect(length(frame) == 250)
    }

    @Test("a call without a frame or about the previous frame is ignored")
    func stale() {
        var machine = DisplayLinkMachine()
        let numbers = [0, .nan, 1, 1, 0.5, 2].map { timestamp in
            machine.called(timestamp: timestamp, targetTimestamp: timestamp + 1, duration: 1)?.number
        }
        #expect(numbers == [nil, nil, 1, nil, nil, 2])
    }

    @Test("passed frames are counted in frames of the present rate")
    func dropped() {
        var machine = DisplayLinkMachine()
        let dropped = [1, 1.14, 1.54, 1e15].map { timestamp in
            machine.called(timestamp: timestamp, targetTimestamp: timestamp + 0.1, duration: 0.1)?.droppedFrameCount
        }
        #expect(dropped.prefix(3) == [0, 0, 3])
        #expect(machine.droppedFrameCount == 3 + (dropped.last.flatMap(\.self) ?? 0))
        #expect(machine.droppedFrameCount > 1_000_000)
    }
}
