import ApusTimers
import SimulatedAppleCore

/// The information about the current media item for the lock screen.
///
/// It is not displayed here, but a test can read it. All members may be used from any thread.
public final class MPNowPlayingInfoCenter: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: all mutable state is in `info` and `state`, protected by their locks.

    private let info = Locked<Handover<[String: Any]?>>(Handover(nil))
    private let state = Locked(MPNowPlayingPlaybackState.unknown)

    override private init() { super.init() }

    /// The center of the running process.
    public class func `default`() -> MPNowPlayingInfoCenter {
        SimulatedPhone.process.shared.object(of: MPNowPlayingInfoCenter.self) { MPNowPlayingInfoCenter() }
    }

    /// The title, artist, duration and other properties of the item.
    public var nowPlayingInfo: [String: Any]? {
        get { info.withLock { $0 }.value }
        set {
            let new = Handover(newValue)
            info.withLock { $0 = new }
        }
    }

    /// The playback state that the app has set.
    public var playbackState: MPNowPlayingPlaybackState {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// The playback state that an app reports.
public enum MPNowPlayingPlaybackState: UInt, Sendable {
    /// The app has reported nothing.
    case unknown = 0
    /// The app plays.
    case playing = 1
    /// The app is paused.
    case paused = 2
    /// The app has stopped.
    case stopped = 3
    /// Another app has the audio output.
    case interrupted = 4
}

// The names are Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the item's title.
public let MPMediaItemPropertyTitle = "title"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the item's artist.
public let MPMediaItemPropertyArtist = "artist"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the title of the item's album.
public let MPMediaItemPropertyAlbumTitle = "albumTitle"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the item's duration, in seconds.
public let MPMediaItemPropertyPlaybackDuration = "playbackDuration"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the position in the item, in seconds.
public let MPNowPlayingInfoPropertyElapsedPlaybackTime = "MPNowPlayingInfoPropertyElapsedPlaybackTime"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the playback rate; 0 means paused.
public let MPNowPlayingInfoPropertyPlaybackRate = "MPNowPlayingInfoPropertyPlaybackRate"
