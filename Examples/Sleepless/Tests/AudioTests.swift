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
            try device.audioModel.play()
            device.advance(seconds: 10)
            #expect(try device.shownAudio.current == "dawn")
            #expect(try device.shownAudio.position == 10)
            device.pressHome()
            device.advance(seconds: 40)
            #expect(device.appPhase == .background)
            #expect(device.host?.backgroundTimeRemaining == nil)
            #expect(try device.shownAudio.current == "drift")
            device.advance(seconds: 120)
            #expect(device.appPhase == .suspended)
            #expect(try device.shownAudio.current == nil)
            #expect(try !device.shownAudio.isPlaying)
        }
    }

    @Test("pause, next and restart do what they say; from the end it begins anew")
    func taps() throws {
        try SimulatedDevice.withSleepless { device in
            let audio = try device.audioModel
            audio.play()
            device.advance(seconds: 5)
            audio.pause()
            device.advance(seconds: 5)
            #expect(try device.shownAudio.position == 5)
            audio.next()
            device.advance(seconds: 0)
            #expect(try device.shownAudio.current == "drift")
            audio.restart()
            device.advance(seconds: 200)
            #expect(try device.shownAudio.current == nil)
            audio.play()
            device.advance(seconds: 1)
            #expect(try device.shownAudio.current == "dawn")
            #expect(try device.shownAudio.isPlaying)
        }
    }

    @Test("during a call nothing can be played, and the screen says why")
    func call() throws {
        try SimulatedDevice.withSleepless { device in
            device.receiveCall()
            try device.audioModel.play()
            device.advance(seconds: 1)
            #expect(try device.shownAudio.error != nil)
            device.endCall()
            try device.audioModel.play()
            device.advance(seconds: 1)
            #expect(try device.shownAudio.isPlaying)
            #expect(try device.shownAudio.error == nil)
        }
    }
}
