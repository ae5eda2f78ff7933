// The declarations are public for the tests; the code is as people copy it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import AVFoundation

/// Plays a list of sounds, also in the background, and shows the position in the current sound.
public class QueuePlayer {
    public let player: AVQueuePlayer
    public private(set) var text = "00:00"
    public private(set) var finished = 0
    public var onText: ((String) -> Void)?
    public var onEnd: (() -> Void)?

    private var timeObserver: Any?
    private var endObserver: NSObjectProtocol?

    public init(urls: [URL]) {
        player = AVQueuePlayer(items: urls.map { AVPlayerItem(url: $0) })
        do {
            try AVAudioSession.sharedInstance().setCategory(.playback, mode: .default)
            try AVAudioSession.sharedInstance().setActive(true)
        } catch {
            print("Failed to set up the audio session: \(error)")
        }
        timeObserver = player.addPeriodicTimeObserver(
            forInterval: CMTime(seconds: 1, preferredTimescale: 600), queue: .main
        ) { [weak self] time in
            guard let self = self else { return }
            let seconds = Int(time.seconds)
            self.text = String(format: "%02d:%02d", seconds / 60, seconds % 60)
            self.onText?(self.text)
        }
        endObserver = NotificationCenter.default.addObserver(
            forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: .main
        ) { [weak self] _ in
            self?.finished += 1
            self?.onEnd?()
        }
    }

    deinit {
        if let endObserver = endObserver { NotificationCenter.default.removeObserver(endObserver) }
    }

    public var isPlaying: Bool { player.rate > 0 }
    public func play() { player.play() }
    public func pause() { player.pause() }
    public func skip() { player.advanceToNextItem() }
}

/// The same player without the audio category, so that it falls silent when the user leaves the app.
public class SilentQueuePlayer {
    public let player: AVQueuePlayer
    public private(set) var text = "00:00"
    public var onText: ((String) -> Void)?

    private var timeObserver: Any?

    public init(urls: [URL]) {
        player = AVQueuePlayer(items: urls.map { AVPlayerItem(url: $0) })
        try? AVAudioSession.sharedInstance().setActive(true)
        timeObserver = player.addPeriodicTimeObserver(
            forInterval: CMTime(seconds: 1, preferredTimescale: 600), queue: .main
        ) { [weak self] time in
            let seconds = Int(time.seconds)
            self?.text = String(format: "%02d:%02d", seconds / 60, seconds % 60)
            self?.onText?(self?.text ?? "")
        }
    }

    public var isPlaying: Bool { player.rate > 0 }
    public func play() { player.play() }
    public func pause() { player.pause() }
}
