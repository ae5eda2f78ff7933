import ApusBackground
import ApusTesting
import SleeplessApp
import Testing

@MainActor
@Suite("The screen Audio")
struct AudioTests {
    @Test("the queue plays in the background to its end, and then the app is suspended")
    func background() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.audio.play()
            device.advance(seconds: 10)
            #expect(try device.shown.audio.current == "dawn")
            #expect(try device.shown.audio.position == 10)
            device.pressHome()
            device.advance(seconds: 40)
            #expect(device.appPhase == .background)
            #expect(device.host?.backgroundTimeRemaining == nil)
            #expect(try device.shown.audio.current == "drift")
            device.advance(seconds: 120)
            #expect(device.appPhase == .suspended)
            #expect(try device.shown.audio.current == nil)
            #expect(try !device.shown.audio.isPlaying)
        }
    }

    @Test("pause, next and restart do what they say; from the end it begins anew")
    func taps() throws {
        try SimulatedDevice.withSleepless { device in
            let audio = try device.sleepless.audio
            audio.play()
            device.advance(seconds: 5)
            audio.pause()
            device.advance(seconds: 5)
            #expect(try device.shown.audio.position == 5)
            audio.next()
            device.advance(seconds: 0)
            #expect(try device.shown.audio.current == "drift")
            audio.restart()
            device.advance(seconds: 200)
            #expect(try device.shown.audio.current == nil)
            audio.play()
            device.advance(seconds: 1)
            #expect(try device.shown.audio.current == "dawn")
            #expect(try device.shown.audio.isPlaying)
        }
    }

    @Test("during a call nothing can be played, and the screen says why")
    func call() throws {
        try SimulatedDevice.withSleepless { device in
            device.receiveCall()
            try device.sleepless.audio.play()
            device.advance(seconds: 1)
            #expect(try device.shown.audio.error != nil)
            device.endCall()
            try device.sleepless.audio.play()
            device.advance(seconds: 1)
            #expect(try device.shown.audio.isPlaying)
            #expect(try device.shown.audio.error == nil)
        }
    }
}
