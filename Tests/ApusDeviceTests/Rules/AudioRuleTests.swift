import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// The rules of Apple, App Programming Guide for iOS, "Background Execution", and
/// documentation/avfaudio/handling-audio-interruptions.
@MainActor
@Suite("Audio on the simulated device")
struct AudioRuleTests {
    private let declared = AppManifest(backgroundModes: [.audio])

    @Test("an app that plays continues in the background, and is suspended when the last item has ended")
    func endOfQueue() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe(declared)
            try device.play(2)
            device.pressHome()
            device.advance(by: .seconds(359))
            #expect(host.phase == .background)
            #expect(host.backgroundTimeRemaining == nil)
            device.advance(by: .seconds(4))
            #expect(host.phase == .suspended)
            let delay = try device.instant(of: .audio("end of the queue")).duration(
                to: device.instant(of: .phase(.suspended)))
            #expect(device.policy.suspensionDelay.contains(delay))
        }
    }

    @Test("an app that pauses in the background is suspended, unless it resumes playing in time")
    func pause() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe(declared)
            try device.play()
            device.pressHome()
            try device.inApp { host in
                await host.audio.pause()
                try await host.audio.play()
            }
            device.advance(by: .seconds(10))
            #expect(host.phase == .background)
            try device.inApp { await $0.audio.pause() }
            device.advance(by: .seconds(2))
            #expect(host.phase == .suspended)
        }
    }

    @Test(
        "without the declared mode or category, an app that plays is suspended, and is notified of that late",
        arguments: [AudioCategory.playback, .soloAmbient])
    func undeclared(category: AudioCategory) throws {
        try SimulatedDevice.run { device in
            let manifest = category == .playback ? AppManifest() : declared
            let host = try device.launchProbe(manifest)
            host.audio.onSessionEvent = { host.note("\($0)") }
            try device.inApp { host in
                await host.audio.setQueue([AudioItem(id: "1", title: "1", source: "1.mp3")])
                #expect(host.audio.activateSession(category))
                host.audio.startPlaying()
            }
            device.pressHome()
            #expect(device.audio.state.isPlaying)
            device.advance(by: .seconds(3))
            #expect(host.phase == .suspended)
            #expect(!device.audio.state.isPlaying)
            #expect(!device.audio.isSessionActive)
            device.advance(by: .seconds(60))
            #expect(device.ownNotes.isEmpty)
            device.open()
            #expect(device.ownNotes == ["interruptionBegan(appWasSuspended: true)"])
        }
    }

    @Test("a call interrupts the sound of an app in front, which continues at its position afterwards")
    func callInFront() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe(declared)
            host.audio.onSessionEvent = { host.note("\($0)") }
            try device.play()
            device.advance(by: .seconds(10))
            device.receiveCall()
            #expect(!device.audio.state.isPlaying)
            #expect(device.ownNotes == ["interruptionBegan(appWasSuspended: false)"])
            try device.play()
            #expect(device.ownNotes.last == "error modeUnavailable")
            device.advance(by: .seconds(60))
            device.endCall()
            #expect(device.ownNotes.last == "interruptionEnded(shouldResume: true)")
            #expect(!device.audio.state.isPlaying, "the app has made a new queue during the call")
            try device.play()
            device.advance(by: .seconds(10))
            device.receiveCall()
            device.advance(by: .seconds(60))
            device.endCall()
            #expect(device.audio.state.isPlaying)
            #expect(device.audio.position == .seconds(10))
        }
    }

    @Test(
        "after a call in the background the sound continues only if a background task kept the app running"
    )
    func callInBackground() throws {
        for holdsClaim in [true, false] {
            try SimulatedDevice.run { device in
                let host = try device.launchProbe(declared)
                try device.play()
                device.pressHome()
                let task = holdsClaim ? try host.beginBackgroundTask(named: "wait for the end of the call") : nil
                device.receiveCall()
                device.advance(by: .seconds(20))
                #expect(host.phase == (holdsClaim ? .background : .suspended))
                device.endCall()
                task?.end()
                device.advance(by: .seconds(60))
                #expect(device.audio.state.isPlaying == holdsClaim)
                #expect(host.phase == (holdsClaim ? .background : .suspended))
            }
        }
    }

    @Test("a background task's budget is not consumed while audio plays, and is consumed when it stops")
    func budget() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe(declared)
            let task = try host.beginBackgroundTask(named: "save") { host.note("expired") }
            device.pressHome()
            device.advance(by: .seconds(10))
            #expect(host.backgroundTimeRemaining == .seconds(20))
            try device.play()
            #expect(host.backgroundTimeRemaining == nil)
            device.advance(by: .seconds(180))
            #expect(host.backgroundTimeRemaining == .seconds(20))
            device.advance(by: .milliseconds(15_999))
            #expect(device.ownNotes.isEmpty)
            device.advance(by: .milliseconds(1))
            #expect(device.ownNotes == ["expired"])
            task.end()
        }
    }

    @Test("a frame timer runs in the background while audio plays, and counts frames that a suspension drops")
    func frames() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe(declared)
            let frames = Box(0)
            let timer = try FrameTimer(maximumFramesPerSecond: 10, on: .engine, engine: host.engine) { _ in
                MainActor.assumeIsolated { frames.value += 1 }
            }
            timer.isPaused = false
            try device.play()
            device.pressHome()
            device.advance(by: .seconds(180))
            #expect(frames.value >= 1_799)
            device.advance(by: .seconds(10))
            #expect(host.phase == .suspended)
            let seen = frames.value
            device.advance(by: .seconds(100))
            #expect(frames.value == seen)
            device.open()
            #expect(frames.value == seen + 1)
            #expect(timer.droppedFrameCount >= 1_000)
            timer.cancel()
        }
    }
}
