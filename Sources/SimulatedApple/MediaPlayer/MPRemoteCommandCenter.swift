import ApusBackground
public import ApusDevice
import ApusTimers
public import SimulatedAppleCore

/// What became of a command.
public enum MPRemoteCommandHandlerStatus: Int, Sendable {
    /// It was done.
    case success = 0
    /// There is no such command.
    case noSuchContent = 100
    /// There is nothing that plays.
    case noActionableNowPlayingItem = 110
    /// It was not done.
    case commandFailed = 200
}

/// A command from the lock screen or from headphones.
open class MPRemoteCommandEvent: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: nothing of it changes.

    /// Which command.
    public let command: MPRemoteCommand

    init(_ command: MPRemoteCommand) {
        self.command = command
        super.init()
    }
}

/// What an app does about a command. From any thread.
open class MPRemoteCommand: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: what changes is in `state`, protected by its lock.

    /// What an app does when the command comes.
    public typealias Handler = (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus

    private final class Target: Sendable {
        let handler: Handover<Handler>
        init(_ handler: @escaping Handler) { self.handler = Handover(handler) }
    }

    private struct State: Sendable {
        var isEnabled = true
        var targets: [Target] = []
    }

    private let state = Locked(State())

    override init() { super.init() }

    /// Whether the user can give the command.
    open var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set { state.withLock { $0.isEnabled = newValue } }
    }

    /// Adds something that is done, on the main thread, when the command comes. There are no selectors on Linux, so this
    /// is the only form.
    ///
    /// - Returns: What ``removeTarget(_:)`` takes.
    @discardableResult
    open func addTarget(handler: @escaping Handler) -> Any {
        let target = Target(handler)
        state.withLock { $0.targets.append(target) }
        return target
    }

    /// Takes away what was added; `nil` takes all away.
    open func removeTarget(_ target: Any?) {
        let target = target as? Target
        let old = state.withLock { state in
            defer { state.targets.removeAll { target == nil || $0 === target } }
            return state.targets
        }
        // Released outside the lock: what they captured may do anything when it goes.
        withExtendedLifetime(old) {}
    }

    /// Nil when the user cannot give it.
    @MainActor
    func come() -> MPRemoteCommandHandlerStatus? {
        let (isEnabled, targets) = state.withLock { ($0.isEnabled, $0.targets) }
        guard isEnabled, !targets.isEmpty else { return nil }
        return targets.map { $0.handler.value(MPRemoteCommandEvent(self)) }.last
    }
}

/// The commands from the lock screen and from headphones.
public final class MPRemoteCommandCenter: NSObject, Sendable {
    /// Begin to play.
    public let playCommand = MPRemoteCommand()
    /// Stop for a while.
    public let pauseCommand = MPRemoteCommand()
    /// Stop.
    public let stopCommand = MPRemoteCommand()
    /// Begin, or stop for a while.
    public let togglePlayPauseCommand = MPRemoteCommand()
    /// The next one.
    public let nextTrackCommand = MPRemoteCommand()
    /// The one before.
    public let previousTrackCommand = MPRemoteCommand()

    override private init() { super.init() }

    /// The center of the running process.
    public class func shared() -> MPRemoteCommandCenter {
        let process = SimulatedPhone.process
        return process.shared.object(of: MPRemoteCommandCenter.self) {
            let center = MPRemoteCommandCenter()
            process.onMediaCommand { [weak center] name in
                if let path = commands[name] { _ = center?[keyPath: path].come() }
            }
            return center
        }
    }

    fileprivate static let commands: [String: any KeyPath<MPRemoteCommandCenter, MPRemoteCommand> & Sendable] = [
        "play": \.playCommand, "pause": \.pauseCommand, "stop": \.stopCommand,
        "togglePlayPause": \.togglePlayPauseCommand, "nextTrack": \.nextTrackCommand,
        "previousTrack": \.previousTrackCommand,
    ]
}

extension SimulatedPhone {
    /// The user gives a command on the lock screen or with headphones: `give(\.pauseCommand, on: device)`. The app gets
    /// it on its main thread, if it runs; a suspended app does not.
    public static func give(_ command: KeyPath<MPRemoteCommandCenter, MPRemoteCommand>, on device: SimulatedDevice) {
        guard let name = MPRemoteCommandCenter.commands.first(where: { $0.value == command })?.key else { return }
        deliver(mediaCommand: name, on: device)
        device.advance(by: .zero)
    }
}
