import ApusBackground
public import ApusDevice
import ApusTimers
public import SimulatedAppleCore

/// The result of a command.
public enum MPRemoteCommandHandlerStatus: Int, Sendable {
    /// The command was carried out.
    case success = 0
    /// The requested content does not exist.
    case noSuchContent = 100
    /// There is no item that plays.
    case noActionableNowPlayingItem = 110
    /// The command was not carried out.
    case commandFailed = 200
}

/// An event for a command from the lock screen or from headphones.
open class MPRemoteCommandEvent: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: all stored properties are immutable.

    /// The command.
    public let command: MPRemoteCommand

    init(_ command: MPRemoteCommand) {
        self.command = command
        super.init()
    }
}

/// A command with the app's handlers for it; all members may be used from any thread.
open class MPRemoteCommand: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: all mutable state is in `state`, protected by its lock.

    /// A handler of the app, which is called when the user gives the command.
    public typealias Handler = (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus

    private final class Target: Sendable {
        let handler: Handover<Handler>
        /// The identity of the object whose method the handler calls; `nil` for a closure.
        let object: ObjectIdentifier?
        init(_ handler: @escaping Handler, of object: ObjectIdentifier? = nil) {
            self.handler = Handover(handler)
            self.object = object
        }
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

    /// Adds a handler that is called on the main thread when the user gives the command.
    ///
    /// - Returns: The target, for ``removeTarget(_:)``.
    @discardableResult
    open func addTarget(handler: @escaping Handler) -> Any {
        let target = Target(handler)
        state.withLock { $0.targets.append(target) }
        return target
    }

    /// Adds an object whose method is called on the main thread, with the event.
    ///
    /// The object is not retained. If the method returns no status, the command counts as carried out.
    open func addTarget(_ target: Any, action: Selector) {
        let object = target as AnyObject
        let handler = Target(
            { [weak object] event in
                object.map { action($0, event) as? MPRemoteCommandHandlerStatus ?? .success } ?? .commandFailed
            }, of: ObjectIdentifier(object))
        state.withLock { $0.targets.append(handler) }
    }

    /// Removes a target that ``addTarget(handler:)`` returned, or an object with all its methods.
    ///
    /// If the argument is `nil`, all targets are removed.
    open func removeTarget(_ target: Any?) {
        let identity = target.map { ObjectIdentifier($0 as AnyObject) }
        let old = state.withLock { state in
            defer {
                state.targets.removeAll {
                    identity == nil || identity == ObjectIdentifier($0) || identity == $0.object
                }
            }
            return state.targets
        }
        // The targets are released outside of the lock, because the deinitializers of captured objects may run any
        // code.
        withExtendedLifetime(old) {}
    }

    /// Calls the handlers.
    ///
    /// - Returns: The last handler's result; `nil` when the command is disabled or has no handler.
    @MainActor
    func come() -> MPRemoteCommandHandlerStatus? {
        let (isEnabled, targets) = state.withLock { ($0.isEnabled, $0.targets) }
        guard isEnabled, !targets.isEmpty else { return nil }
        return targets.map { $0.handler.value(MPRemoteCommandEvent(self)) }.last
    }
}

/// The commands from the lock screen and from headphones.
public final class MPRemoteCommandCenter: NSObject, Sendable {
    /// The command to start playing.
    public let playCommand = MPRemoteCommand()
    /// The command to pause.
    public let pauseCommand = MPRemoteCommand()
    /// The command to stop.
    public let stopCommand = MPRemoteCommand()
    /// The command to start playing or to pause.
    public let togglePlayPauseCommand = MPRemoteCommand()
    /// The command to play the next item.
    public let nextTrackCommand = MPRemoteCommand()
    /// The command to play the previous item.
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
    /// Gives a command as the user does on the lock screen or with headphones.
    ///
    /// An example is `give(\.pauseCommand, on: device)`. A running app receives the command on its main thread; a
    /// suspended app does not receive it.
    public static func give(_ command: KeyPath<MPRemoteCommandCenter, MPRemoteCommand>, on device: SimulatedDevice) {
        guard let name = MPRemoteCommandCenter.commands.first(where: { $0.value == command })?.key else { return }
        deliver(mediaCommand: name, on: device)
        device.advance(by: .zero)
    }
}
