import ApusTimers
import SimulatedAppleCore

/// What the lock screen shows of what plays. It is not displayed here; a test can read it. From any thread.
public final class MPNowPlayingInfoCenter: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: what changes is in `info` and `state`, protected by their locks.

    private let info = Locked<Handover<[String: Any]?>>(Handover(nil))
    private let state = Locked(MPNowPlayingPlaybackState.unknown)

    override private init() { super.init() }

    /// The center of the running process.
    public class func `default`() -> MPNowPlayingInfoCenter {
        SimulatedPhone.process.shared.object(of: MPNowPlayingInfoCenter.self) { MPNowPlayingInfoCenter() }
    }

    /// Title, artist, duration and so on.
    public var nowPlayingInfo: [String: Any]? {
        get { info.withLock { $0 }.value }
        set {
            let new = Handover(newValue)
            info.withLock { $0 = new }
        }
    }

    /// Whether it plays.
    public var playbackState: MPNowPlayingPlaybackState {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// What an app says that it does.
public enum MPNowPlayingPlaybackState: UInt, Sendable {
    /// It has said nothing.
    case unknown = 0
    /// It plays.
    case playing = 1
    /// It is paused.
    case paused = 2
    /// It has stopped.
    case stopped = 3
    /// Another one has the sound.
    case interrupted = 4
}

// The names are Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The title of what plays.
public let MPMediaItemPropertyTitle = "title"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Who plays.
public let MPMediaItemPropertyArtist = "artist"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The album.
public let MPMediaItemPropertyAlbumTitle = "albumTitle"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// How long it is, in seconds.
public let MPMediaItemPropertyPlaybackDuration = "playbackDuration"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// How far it has been played, in seconds.
public let MPNowPlayingInfoPropertyElapsedPlaybackTime = "MPNowPlayingInfoPropertyElapsedPlaybackTime"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// How fast it is played; 0 is paused.
public let MPNowPlayingInfoPropertyPlaybackRate = "MPNowPlayingInfoPropertyPlaybackRate"
