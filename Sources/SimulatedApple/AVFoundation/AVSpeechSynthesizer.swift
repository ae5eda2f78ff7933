import ApusBackground
public import ApusDevice
import ApusTimers
import ApusVirtualTime
import SimulatedAppleCore

/// A voice that writes each text into the device's log, as a line `audio: speech “…”`, and is not heard.
///
/// Speaking takes 60 ms for each letter of the text; this number is a choice of the simulation. Texts are spoken one
/// after another. A voice activates the app's audio session. Like other audio, it keeps the app running in the
/// background if the app declares the mode `audio` and the session's category permits audio there. The voice ends when
/// the app releases the object.
///
/// A call, or another app that takes the audio output, stops the voice as ``stopSpeaking(at:)`` does. Until the session
/// can be active again, texts are not spoken: the delegate is not notified, and the device's log gets a warning.
///
/// Source: Apple, documentation/avfaudio/avspeechsynthesizer
@preconcurrency @MainActor
open class AVSpeechSynthesizer: NSObject {
    /// The delegate, which is notified of the beginning and the end of each text.
    open weak var delegate: (any AVSpeechSynthesizerDelegate)? {
        didSet {
            OptionalMethods.check(delegate, of: (any AVSpeechSynthesizerDelegate).self) {
                $0 is any AVSpeechSynthesizerDelegate.Type
            }
        }
    }
    /// Whether a text is being spoken or waits.
    open var isSpeaking: Bool { present != nil || !waiting.isEmpty }
    /// Whether the voice pauses: never here.
    open var isPaused: Bool { false }

    private var present: AVSpeechUtterance?
    private var waiting: [AVSpeechUtterance] = []
    private var end: ScheduledTimer?
    private let process = SimulatedPhone.process
    private static var count = 0
    /// The number by which the device distinguishes the voices.
    ///
    /// It is unique among all apps of a test's process, because a voice may be released after its app has ended.
    private let number: Int
    private var interruptions: (any NSObjectProtocol)?

    /// Creates a voice.
    override public init() {
        Self.count += 1
        number = Self.count
        super.init()
        interruptions = NotificationCenter.default.addObserver(
            forName: AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance(), queue: nil
        ) { [weak self] notification in
            let type = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
            guard type == AVAudioSession.InterruptionType.began.rawValue else { return }
            MainActor.assumeIsolated { _ = self?.stopSpeaking(at: .immediate) }
        }
    }

    isolated deinit {
        if let interruptions { NotificationCenter.default.removeObserver(interruptions) }
        silence()
    }

    /// Speaks a text, after those that wait.
    ///
    /// It is a fault if the utterance is already being spoken or waits. Rule: AVSpeechSynthesis.h.
    open func speak(_ utterance: AVSpeechUtterance) {
        guard present !== utterance, !waiting.contains(where: { $0 === utterance }) else {
            return process.host.fault(
                Fault(
                    .utteranceQueuedTwice,
                    "the utterance “\(utterance.speechString)” is spoken or waits already; create one for each call of "
                        + "speak"))
        }
        waiting.append(utterance)
        beginNext()
    }

    /// Stops the text that is being spoken, and drops the texts that wait.
    ///
    /// - Returns: Whether a text was being spoken.
    @discardableResult
    open func stopSpeaking(at boundary: AVSpeechBoundary) -> Bool {
        guard let stopped = present else { return false }
        silence()
        waiting = []
        delegate?.speechSynthesizer(self, didCancel: stopped)
        return true
    }

    /// Begins the next text, unless one is being spoken.
    private func beginNext() {
        guard present == nil, !waiting.isEmpty else { return }
        let host = process.host
        guard AVAudioSession.sharedInstance().activateToPlay() else {
            for utterance in waiting {
                host.warn("“\(utterance.speechString)” is not spoken: a call or another app has the audio output")
            }
            waiting = []
            return
        }
        let utterance = waiting.removeFirst()
        present = utterance
        process.audio.setVoice(number, speaks: true)
        host.logSound("speech “\(utterance.speechString)”")
        delegate?.speechSynthesizer(self, didStart: utterance)
        // The delegate may have stopped the text.
        guard present === utterance, end == nil else { return }
        let length = Duration.milliseconds(60 * utterance.speechString.count)
        end = host.engine.schedule(after: length, clock: .uptime) { [weak self] in
            host.mainLoop.run(in: .common) { [weak self] in self?.finish(utterance) }
        }
    }

    private func finish(_ utterance: AVSpeechUtterance) {
        guard present === utterance else { return }
        silence()
        // The delegate may call `speak(_:)`, which already begins the next text.
        delegate?.speechSynthesizer(self, didFinish: utterance)
        beginNext()
    }

    /// Ends the present text.
    private func silence() {
        process.audio.setVoice(number, speaks: false)
        _ = end?.cancel()
        (present, end) = (nil, nil)
    }
}

extension Fault.Rule {
    /// An utterance was passed to a voice although it was already being spoken or waiting.
    ///
    /// Source: AVSpeechSynthesis.h
    public static let utteranceQueuedTwice = Fault.Rule("NSInvalidArgumentException.utteranceQueuedTwice")
}

/// The receiver of a voice's events; its methods are optional.
@preconcurrency @MainActor
public protocol AVSpeechSynthesizerDelegate: NSObjectProtocol {
    /// Called when a text begins.
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didStart utterance: AVSpeechUtterance)
    /// Called when a text was spoken to its end.
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance)
    /// Called when a text was stopped.
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance)
}

extension AVSpeechSynthesizerDelegate {
    /// Does nothing.
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didStart utterance: AVSpeechUtterance) {}
    /// Does nothing.
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance) {}
    /// Does nothing.
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance) {}
}

/// The point at which a voice stops, which has no effect here.
public enum AVSpeechBoundary: Int, Sendable {
    /// With `immediate`, the voice stops at once; with `word`, it stops after the current word.
    case immediate, word
}

/// A text to be spoken.
///
/// For `@unchecked Sendable`: the app changes the utterance only before it is spoken.
open class AVSpeechUtterance: NSObject, @unchecked Sendable {
    /// The text.
    public let speechString: String
    /// The speed, which has no effect here.
    open var rate: Float = 0.5
    /// The pitch, which has no effect here.
    open var pitchMultiplier: Float = 1
    /// The volume, which has no effect here.
    open var volume: Float = 1
    /// The voice, which has no effect here.
    open var voice: AVSpeechSynthesisVoice?

    /// Creates an utterance of a text.
    public init(string: String) {
        speechString = string
        super.init()
    }
}

/// The language of a voice, without effect.
public final class AVSpeechSynthesisVoice: NSObject, Sendable {
    /// The language.
    public let language: String
    /// Creates a voice for a language.
    public init?(language languageCode: String?) { language = languageCode ?? "en-US" }
}

// The names are Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The usual speed.
public let AVSpeechUtteranceDefaultSpeechRate: Float = 0.5
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The lowest speed.
public let AVSpeechUtteranceMinimumSpeechRate: Float = 0
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The highest speed.
public let AVSpeechUtteranceMaximumSpeechRate: Float = 1

/// A kind of media.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String
    /// Creates a kind from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Pictures.
    public static let video = AVMediaType(rawValue: "vide")
    /// Audio.
    public static let audio = AVMediaType(rawValue: "soun")
}

/// The user's permission for a camera or a microphone.
public enum AVAuthorizationStatus: Int, Sendable {
    /// In this order: the user was not asked, cannot give the permission, has refused it, or has given it.
    case notDetermined, restricted, denied, authorized
}

/// A camera or a microphone, which the simulated phone does not have.
///
/// It can be used on any thread.
public final class AVCaptureDevice: NSObject, Sendable {
    override private init() { super.init() }

    /// Returns `restricted`, because the phone has neither a camera nor a microphone.
    public class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus { .restricted }

    /// Calls a handler with `false`, without asking the user, and writes a warning into the device's log.
    public class func requestAccess(
        for mediaType: AVMediaType, completionHandler handler: @escaping @Sendable (Bool) -> Void
    ) {
        let host = SimulatedPhone.process.host
        host.warn("the phone has no camera and no microphone here: the permission is refused")
        host.mainLoop.run { handler(false) }
    }

    /// Writes a warning into the device's log.
    ///
    /// - Returns: `false`, without asking the user.
    public class func requestAccess(for mediaType: AVMediaType) async -> Bool {
        await withUnsafeContinuation { continuation in
            requestAccess(for: mediaType) { continuation.resume(returning: $0) }
        }
    }

    /// Returns `nil`, because the phone has neither a camera nor a microphone.
    public class func `default`(for mediaType: AVMediaType) -> AVCaptureDevice? { nil }
}
