import ApusBackground
import ApusVirtualTime
import SimulatedAppleCore

/// Something to play. How long it lasts is said when the app is installed, by the last component of its URL.
@preconcurrency @MainActor
open class AVPlayerItem: NSObject {
    let item: AudioItem
    /// What is played.
    public let asset: AVAsset

    /// The sound at a URL.
    public convenience init(url: URL) { self.init(asset: AVURLAsset(url: url)) }

    /// The sound of an asset.
    public init(asset: AVAsset) {
        let url = (asset as? AVURLAsset)?.url
        item = AudioItem(
            id: url?.lastPathComponent ?? "", title: url?.lastPathComponent ?? "", source: url?.absoluteString ?? "")
        self.asset = asset
        super.init()
    }

    /// How long it lasts, as the installation says.
    open var duration: CMTime {
        CMTime(seconds: SimulatedPhone.process.audio.duration(of: item).inSeconds, preferredTimescale: 1_000)
    }

    /// An item was played to its end; the notification's object is the item.
    public class var didPlayToEndTimeNotification: NSNotification.Name {
        .AVPlayerItemDidPlayToEndTime
    }
}

extension NSNotification.Name {
    // The name is Apple's.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// An item was played to its end; the notification's object is the item.
    public static let AVPlayerItemDidPlayToEndTime = NSNotification.Name("AVPlayerItemDidPlayToEndTimeNotification")
}
