import ApusBackground
import ApusTimers
import ApusVirtualTime

/// A question of the system to the user: for a permission.
struct SystemQuestion: Sendable {
    /// Whether the user has to be asked; looked at again when it is the question's turn.
    let isOpen: @Sendable () -> Bool
    /// The user answers, or need not be asked any more. Called on the main loop of the app's process, if there is one.
    let answer: @Sendable () -> Void
}

/// All that a part of a simulated device knows of the device.
///
/// A part calls these outside its lock.
struct PartSurroundings: Sendable {
    /// The device's clocks.
    var time: VirtualClocks
    /// The system's engine on those clocks: its timers run although the app is suspended or dead.
    var engine: TimerEngine
    /// Writes a line into the device's log.
    var log: @Sendable (DeviceEvent.Actor, DeviceEvent.What) -> Void
    /// Reports what a real system ends the app for.
    var fault: @Sendable (Fault) -> Void
    /// Says whether this part is a continuous mode that is active now, so that the device does not suspend the app.
    /// Called with changes only; it begins with `false`. It belongs to one part: the device unites what its parts say.
    var keepAwake: @Sendable (Bool) -> Void
    /// The main loop of the app's process; nil when none runs. The loop of a suspended app does not run what it is
    /// given until the app is resumed.
    var mainLoop: @Sendable () -> (any MainLoop)?
    /// Whether what calls now may be the rest of a function whose process was ended under it: that has no effect.
    var isAppDead: @Sendable () -> Bool = { false }
    /// Asks the user a question of the system, over the app that is in front: at once, or when the app is there. Without
    /// an app the user answers at once.
    var askUser: @Sendable (SystemQuestion) -> Void = { $0.answer() }
    /// Starts the app in the background, or lets a suspended one continue there, for that reason, after a force quit
    /// too if the second argument says so; its code runs with the next step of time. False when that may not be.
    var wake: @MainActor @Sendable (LaunchCause, Bool) -> Bool = { _, _ in false }
}

extension ScheduledTimer? {
    /// Stores `next`, which is scheduled by then, and cancels the former timer. In the other order, no timer would be
    /// armed in between, and the thread that drives time could move past what is due while another thread is here.
    mutating func replace(with next: ScheduledTimer?) {
        let former = self
        self = next
        former?.cancel()
    }
}
