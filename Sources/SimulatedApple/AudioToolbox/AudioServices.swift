import ApusBackground
import ApusTimers
import ApusVirtualTime
import SimulatedAppleCore

/// The identifier of a short sound of the system.
public typealias SystemSoundID = UInt32

// The names are Apple's.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The identifier with which the phone vibrates.
public let kSystemSoundID_Vibrate: SystemSoundID = 0xFFF

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Plays a short sound or vibrates, by writing `audio: system sound 1007` or `audio: vibration` into the device's log.
///
/// Sounds are not queued: if a sound is requested twice in the same instant, it is played and logged once. The function
/// can be called on any thread.
///
/// Rule: Apple, documentation/audiotoolbox/audioservicesplaysystemsound(_:).
public func AudioServicesPlaySystemSound(_ inSystemSoundID: SystemSoundID) {
    SystemSounds.current.play(
        inSystemSoundID == kSystemSoundID_Vibrate ? "vibration" : "system sound \(inSystemSoundID)")
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Plays a short sound and vibrates, by writing `audio: alert sound 1007` and `audio: vibration` into the device's log.
public func AudioServicesPlayAlertSound(_ inSystemSoundID: SystemSoundID) {
    if inSystemSoundID != kSystemSoundID_Vibrate { SystemSounds.current.play("alert sound \(inSystemSoundID)") }
    SystemSounds.current.play("vibration")
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Plays a short sound, and calls `inCompletionBlock` in the next pass of the main loop, because sounds have no length
/// here.
public func AudioServicesPlaySystemSoundWithCompletion(
    _ inSystemSoundID: SystemSoundID, _ inCompletionBlock: (() -> Void)?
) {
    AudioServicesPlaySystemSound(inSystemSoundID)
    SystemSounds.current.complete(inCompletionBlock)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Plays a short sound, vibrates, and calls `inCompletionBlock` in the next pass of the main loop.
public func AudioServicesPlayAlertSoundWithCompletion(
    _ inSystemSoundID: SystemSoundID, _ inCompletionBlock: (() -> Void)?
) {
    AudioServicesPlayAlertSound(inSystemSoundID)
    SystemSounds.current.complete(inCompletionBlock)
}

/// The sounds that a process has played in the present instant.
private final class SystemSounds: Sendable {
    private struct State {
        var instant: UptimeInstant
        var played: Set<String> = []
    }

    private let host: any PhoneHost
    private let state: Locked<State>

    static var current: SystemSounds {
        let process = SimulatedPhone.process
        return process.shared.object(of: SystemSounds.self) { SystemSounds(process.host) }
    }

    private init(_ host: any PhoneHost) {
        self.host = host
        state = Locked(State(instant: host.engine.time.uptime()))
    }

    func play(_ sound: String) {
        let now = host.engine.time.uptime()
        let isNew = state.withLock { state in
            if state.instant != now { state = State(instant: now) }
            return state.played.insert(sound).inserted
        }
        if isNew { host.logSound(sound) }
    }

    func complete(_ completion: (() -> Void)?) {
        guard let completion else { return }
        let handler = Handover(completion)
        host.mainLoop.run { handler.value() }
    }
}
