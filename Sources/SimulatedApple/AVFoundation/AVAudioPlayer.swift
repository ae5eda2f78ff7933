import ApusBackground
import SimulatedAppleCore

/// A player of one file, which plays in virtual time like ``AVPlayer``.
///
/// The file's duration is a parameter of the app's installation (`trackDurations`), in which the last component of the
/// file's URL identifies the file. The player does not check whether the file exists. As on a phone, the audio is mixed
/// with that of other players, and ends when the app releases the player.
///
/// Source: Apple, documentation/avfaudio/avaudioplayer
@preconcurrency @MainActor
open class AVAudioPlayer: NSObject {
    /// The file; `nil` for a player of bytes.
    public let url: URL?
    /// The bytes; `nil` for a player of a file.
    public let data: Data?
    /// The delegate, which is notified of the end.
    open weak var delegate: (any AVAudioPlayerDelegate)? {
        didSet {
            OptionalMethods.check(delegate, of: (any AVAudioPlayerDelegate).self) {
                $0 is any AVAudioPlayerDelegate.Type
            }
        }
    }
    /// The number of repetitions after the first pass; a negative number means that the audio has no end.
    open var numberOfLoops = 0
    /// The volume, from 0 to 1, which has no effect here.
    open var volume: Float = 1
    /// The position between left and right, which has no effect here.
    open var pan: Float = 0
    /// Whether ``rate`` can be changed, which has no effect here.
    open var enableRate = false
    /// The speed, which has no effect here; the audio always plays at the speed 1.
    open var rate: Float = 1
    /// Whether the loudness is measured, which has no effect here.
    open var isMeteringEnabled = false

    private let player: EndingPlayer
    private var loopsLeft = 0

    private init(_ url: URL, isFile: Bool, data: Data?) {
        (self.url, self.data) = (isFile ? url : nil, data)
        player = EndingPlayer(url: url)
        super.init()
        player.onEnd = { [weak self] in self?.ended() }
    }

    /// Creates a player of a file.
    ///
    /// - Throws: Nothing here; on a phone, the error of a file that cannot be played.
    public convenience init(contentsOf url: URL) throws { self.init(url, isFile: true, data: nil) }

    /// Creates a player of a file; the hint has no effect.
    ///
    /// - Throws: Nothing here; on a phone, the error of a file that cannot be played.
    public convenience init(contentsOf url: URL, fileTypeHint utiString: String?) throws {
        try self.init(contentsOf: url)
    }

    /// Creates a player of bytes; the installation of the app sets their duration, under the name `data`.
    ///
    /// - Throws: Nothing here; on a phone, the error of bytes that cannot be played.
    public convenience init(data: Data) throws {
        self.init(URL(fileURLWithPath: "/data"), isFile: false, data: data)
    }

    /// Whether the player plays.
    open var isPlaying: Bool { player.rate > 0 }
    /// The duration in seconds.
    open var duration: TimeInterval { player.currentItem?.duration.seconds ?? 0 }
    /// The position in seconds; 0 at the end.
    open var currentTime: TimeInterval {
        get { player.hasEnded ? 0 : player.currentTime().seconds }
        set { player.move(to: newValue) }
    }
    /// The number of channels: two.
    open var numberOfChannels: Int { 2 }

    /// Does nothing.
    ///
    /// - Returns: `true`.
    @discardableResult
    open func prepareToPlay() -> Bool { true }

    /// Plays the file from the present position or, after the end, from the beginning.
    ///
    /// - Returns: Whether the player plays; false during a call.
    @discardableResult
    open func play() -> Bool {
        loopsLeft = numberOfLoops
        player.play()
        return isPlaying
    }

    /// Pauses, and keeps the position.
    open func pause() { player.pause() }
    /// Stops, and keeps the position, as on a phone.
    open func stop() { player.pause() }
    /// Sets the volume, which has no effect here.
    open func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) { self.volume = volume }
    /// Does nothing.
    open func updateMeters() {}
    /// Returns the loudness of silence, in decibels.
    open func averagePower(forChannel channelNumber: Int) -> Float { -160 }
    /// Returns the loudness of silence, in decibels.
    open func peakPower(forChannel channelNumber: Int) -> Float { -160 }

    private func ended() {
        guard loopsLeft == 0 else {
            loopsLeft -= loopsLeft > 0 ? 1 : 0
            return player.play()
        }
        delegate?.audioPlayerDidFinishPlaying(self, successfully: true)
    }
}

/// The receiver of the events of a player; its methods are optional.
@preconcurrency @MainActor
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
    /// Called when the file was played to its end; not after `stop()` or an interruption.
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)
    /// Called when a file cannot be decoded: never here.
    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)
}

extension AVAudioPlayerDelegate {
    /// Does nothing.
    public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}
    /// Does nothing.
    public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
}

/// A player that calls a closure at the end of its item instead of posting a notification.
private final class EndingPlayer: AVPlayer {
    var onEnd: (() -> Void)?
    private(set) var hasEnded = false

    override func play() {
        hasEnded = false
        super.play()
    }

    func move(to position: TimeInterval) {
        hasEnded = false
        seek(to: CMTime(seconds: position, preferredTimescale: 1_000))
    }

    override func ended(_ item: AudioItem) {
        guard queue.ended(item) != nil else { return }
        hasEnded = true
        onEnd?()
    }
}
