import ApusDevice
import ApusTimers
import SimulatedAppleCore

/// The audio session of the app on the simulated phone, which can be used on any thread.
open class AVAudioSession: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: the mutable values are in `state`, protected by its lock.

    /// The purpose of the app's audio; `playback`, `playAndRecord` and `multiRoute` continue in the background.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String
        /// Creates a category with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Audio that mixes with that of other apps.
        public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
        /// Audio that silences other apps; the default.
        public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
        /// Audio that is central to the app, and continues in the background.
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
        /// Recording, which is not simulated.
        public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
        /// Audio and recording; recording is not simulated.
        public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
        /// Audio for several outputs.
        public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")

        /// Whether audio of this category continues in the background.
        var continuesInBackground: Bool { self == .playback || self == .playAndRecord || self == .multiRoute }
    }

    /// The mode of the session, which has no effect here.
    public struct Mode: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String
        /// Creates a mode with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The default mode.
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        /// The mode for speech.
        public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
        /// The mode for films.
        public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
        /// The mode for measurements.
        public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
        /// The mode for calls.
        public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
        /// The mode for video calls.
        public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
        /// The mode for recording films.
        public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
        /// The mode for games.
        public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
        /// The mode for prompts.
        public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")
    }

    /// The options of a category, which have no effect here.
    public struct CategoryOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Creates a set with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The app's audio mixes with that of other apps.
        public static let mixWithOthers = CategoryOptions(rawValue: 1)
        /// The audio of other apps becomes quieter.
        public static let duckOthers = CategoryOptions(rawValue: 2)
        /// Wireless headphones may be used for calls.
        public static let allowBluetooth = CategoryOptions(rawValue: 4)
        /// The loudspeaker is used.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 8)
        /// Spoken audio of other apps is interrupted.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 17)
        /// Wireless headphones may be used.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 32)
        /// Another device may play the audio.
        public static let allowAirPlay = CategoryOptions(rawValue: 64)
    }

    /// The options of activating or deactivating the session, which have no effect here.
    public struct SetActiveOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Creates a set with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Other apps are notified that they may resume.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// The kinds of events of an interruption.
    public enum InterruptionType: UInt, Sendable {
        /// The interruption has ended.
        case ended = 0
        /// The interruption has begun: the session is inactive, and players are paused.
        case began = 1
    }

    /// The actions that the app may take after an interruption.
    public struct InterruptionOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Creates a set with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The app may resume playing.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// The reason for a change of the audio output; the simulated phone uses only `oldDeviceUnavailable`.
    public enum RouteChangeReason: UInt, Sendable {
        /// The reason is unknown.
        case unknown = 0
        /// A new output, such as headphones, is available.
        case newDeviceAvailable = 1
        /// The former output is gone, because headphones were unplugged.
        case oldDeviceUnavailable = 2
        /// The category has changed.
        case categoryChange = 3
        /// An app has requested another output.
        case override = 4
        /// The device has woken up.
        case wakeFromSleep = 6
        /// There is no output for the category.
        case noSuitableRouteForCategory = 7
        /// The configuration of the output has changed.
        case routeConfigurationChange = 8
    }

    /// The session of the running process.
    open class func sharedInstance() -> AVAudioSession {
        let process = SimulatedPhone.process
        return process.shared.object(of: AVAudioSession.self) { AVAudioSession(process) }
    }

    /// Posted when an interruption begins or ends; `userInfo` shows which of the two has happened.
    ///
    /// For a suspended app, it is posted when the app is resumed.
    open class var interruptionNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionInterruptionNotification")
    }

    /// Posted when the audio output has changed, with the reason in `userInfo`.
    ///
    /// Here it is posted on the main thread; Apple's documentation says that it is posted on another thread.
    open class var routeChangeNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionRouteChangeNotification")
    }

    /// Posted when the media services were restarted: never here.
    open class var mediaServicesWereResetNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionMediaServicesWereResetNotification")
    }

    /// Posted when the media services have ended: never here.
    open class var mediaServicesWereLostNotification: NSNotification.Name {
        NSNotification.Name("AVAudioSessionMediaServicesWereLostNotification")
    }

    private let audio: any PhoneAudio
    private let state = Locked(Category.soloAmbient)

    private init(_ process: PhoneProcess) {
        audio = process.audio
        super.init()
        audio.onSessionEvent = { [weak self] event in self?.post(event) }
    }

    /// The purpose of the app's audio.
    open var category: Category { state.withLock { $0 } }

    /// Sets the purpose of the app's audio.
    ///
    /// - Throws: An `NSError` with the code `!int`, if the session is active and cannot be active with the new
    ///   category.
    open func setCategory(_ category: Category) throws {
        state.withLock { $0 = category }
        // An active session changes immediately.
        if audio.isSessionActive { try setActive(true) }
    }

    /// Sets the purpose of the app's audio; the options have no effect here.
    ///
    /// - Throws: An `NSError` with the code `!int`, if the session is active and cannot be active with the new
    ///   category.
    open func setCategory(_ category: Category, options: CategoryOptions) throws { try setCategory(category) }

    /// The volume of the output, from 0 to 1, always 0.5 here.
    open var outputVolume: Float { 0.5 }
    /// Whether another app plays audio, which is never so here.
    open var isOtherAudioPlaying: Bool { false }

    /// Sets the purpose of the app's audio; the mode and the options have no effect here.
    ///
    /// - Throws: An `NSError` with the code `!int`, if the session is active and cannot be active with the new
    ///   category.
    open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        try setCategory(category)
    }

    /// Activates or deactivates the session; deactivation pauses the player.
    ///
    /// - Throws: An `NSError` with the code `!int` during a call, or while another app has the audio output.
    open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        guard active else { return audio.deactivateSession() }
        guard activate() else { throw NSError(domain: "NSOSStatusErrorDomain", code: Self.cannotInterruptOthers) }
    }

    /// Activates an inactive session because sound begins; returns `false` during a call, or while another app has the
    /// audio output.
    func activateToPlay() -> Bool { audio.isSessionActive || activate() }

    /// Activates the session; returns `false` and changes nothing during a call, or while another app has the audio
    /// output.
    private func activate() -> Bool { audio.activateSession(category.continuesInBackground ? .playback : .soloAmbient) }

    /// The code of Apple's error: the four characters "!int".
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
/// The key for the event of an interruption; its value is the raw value of an ``AVAudioSession/InterruptionType``.
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key for the actions that the app may take; its value is the raw value of ``AVAudioSession/InterruptionOptions``.
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key for the reason for a change of the output; its value is the raw value of a
/// ``AVAudioSession/RouteChangeReason``.
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of a Boolean value that is true if the session was deactivated because the app was suspended.
public let AVAudioSessionInterruptionWasSuspendedKey = "AVAudioSessionInterruptionWasSuspendedKey"
