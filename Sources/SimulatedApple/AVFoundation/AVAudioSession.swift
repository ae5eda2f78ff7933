import ApusDevice
import ApusTimers
import SimulatedAppleCore

/// What the app's sound is to the phone: the simulated one. From any thread.
open class AVAudioSession: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: what changes is in `state`, protected by its lock.

    /// What the sound is for. Only `playback` continues in the background.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String
        /// A category with that name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Beside the sound of others.
        public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
        /// Instead of the sound of others; the default.
        public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
        /// What the app is for; continues in the background.
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
    }

    /// How the sound is treated. Without effect here.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String
        /// A mode with that name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// As usual.
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        /// Speech.
        public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
        /// A film's sound.
        public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
    }

    /// How the sound gets along with that of others. Without effect here.
    public struct CategoryOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Options with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Beside the others.
        public static let mixWithOthers = CategoryOptions(rawValue: 1)
        /// Louder than the others.
        public static let duckOthers = CategoryOptions(rawValue: 2)
    }

    /// What else happens when the session is made active or inactive. Without effect here.
    public struct SetActiveOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Options with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Other apps are notified that they may resume.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// What an interruption does.
    public enum InterruptionType: UInt, Sendable {
        /// It is over.
        case ended = 0
        /// It begins: the session is inactive, and players are paused.
        case began = 1
    }

    /// What the app may do after an interruption.
    public struct InterruptionOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Options with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Resume playing.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// Why the sound comes out elsewhere, or not at all. The simulated phone says one of them.
    public enum RouteChangeReason: UInt, Sendable {
        /// Not known.
        case unknown = 0
        /// There is something new, such as headphones.
        case newDeviceAvailable = 1
        /// What was there is gone: the headphones were unplugged.
        case oldDeviceUnavailable = 2
        /// The category is another one.
        case categoryChange = 3
        /// An app wanted it.
        case override = 4
        /// The device wakes.
        case wakeFromSleep = 6
        /// There is nothing for the category.
        case noSuitableRouteForCategory = 7
        /// The configuration is another one.
        case routeConfigurationChange = 8
    }

    /// The session of the running process.
    open class func sharedInstance() -> AVAudioSession {
        let process = SimulatedPhone.process
        return process.shared.object(of: AVAudioSession.self) { AVAudioSession(process) }
    }

    /// An interruption begins or ends; `userInfo` says which. Also posted, late, when the app was suspended.
    open class var interruptionNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionInterruptionNotification")
    }

    /// The sound comes out elsewhere; `userInfo` says why. Posted on the main thread here; Apple says on another one.
    open class var routeChangeNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionRouteChangeNotification")
    }

    private let audio: any PhoneAudio
    private let state = Locked(Category.soloAmbient)

    private init(_ process: PhoneProcess) {
        audio = process.audio
        super.init()
        audio.onSessionEvent = { [weak self] event in self?.post(event) }
    }

    /// What the sound is for.
    open var category: Category { state.withLock { $0 } }

    /// Says what the sound is for.
    open func setCategory(_ category: Category) throws {
        state.withLock { $0 = category }
        // An active session changes there and then.
        if audio.isSessionActive { try setActive(true) }
    }

    /// Says what the sound is for.
    open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        try setCategory(category)
    }

    /// Makes the session active or inactive; an inactive one pauses what plays.
    ///
    /// - Throws: An `NSError` with the code `!int` during a call or while another app has the sound.
    open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        guard active else { return audio.deactivateSession() }
        guard activate() else { throw NSError(domain: "NSOSStatusErrorDomain", code: Self.cannotInterruptOthers) }
    }

    /// A player begins to play: an inactive session becomes active if it can.
    func activateToPlay() { if !audio.isSessionActive { _ = activate() } }

    /// False, and nothing changes, while a call or another app has the sound.
    private func activate() -> Bool { audio.activateSession(category == .playback ? .playback : .soloAmbient) }

    /// "!int" in four bytes.
    private static var cannotInterruptOthers: Int { 0x2169_6e74 }

    @MainActor
    private func post(_ event: AudioSessionEvent) {
        let (name, info): (NSNotification.Name, [AnyHashable: Any]) =
            switch event {
            case .interruptionBegan(let appWasSuspended):
                (
                    Self.interruptionNotification,
                    [
                        AVAudioSessionInterruptionTypeKey: InterruptionType.began.rawValue,
                        AVAudioSessionInterruptionWasSuspendedKey: appWasSuspended,
                    ]
                )
            case .interruptionEnded(let shouldResume):
                (
                    Self.interruptionNotification,
                    [
                        AVAudioSessionInterruptionTypeKey: InterruptionType.ended.rawValue,
                        AVAudioSessionInterruptionOptionKey:
                            (shouldResume ? InterruptionOptions.shouldResume : []).rawValue,
                    ]
                )
            case .outputLost:
                (
                    Self.routeChangeNotification,
                    [AVAudioSessionRouteChangeReasonKey: RouteChangeReason.oldDeviceUnavailable.rawValue]
                )
            }
        NotificationCenter.default.post(name: name, object: self, userInfo: info)
    }
}

// The names are Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether an interruption begins or ends: the raw value of ``AVAudioSession/InterruptionType``.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// What the app may do: the raw value of ``AVAudioSession/InterruptionOptions``.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Why the route has changed: the raw value of ``AVAudioSession/RouteChangeReason``.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the session was made inactive because the app was suspended.
public let AVAudioSessionInterruptionWasSuspendedKey = "AVAudioSessionInterruptionWasSuspendedKey"
