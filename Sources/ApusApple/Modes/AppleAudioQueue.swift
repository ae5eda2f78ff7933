#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    import ApusBackground
    import ApusTimers
    import AVFoundation
    import Foundation
    import MediaPlayer

    #if !os(Linux)
        import CoreMedia
    #endif

    /// The system's player, which performs the actions of the state machine, and the player's display on the lock
    /// screen.
    @MainActor
    final class AppleAudioQueue {
        private let player = AVQueuePlayer(items: [])
        private var machine = AppleAudioMachine()
        /// The player's own items, which correspond to the items of the state machine; the current item is the first.
        private var items: [AVPlayerItem] = []
        private let time: any TimeSource
        /// Called with the state machine after each change.
        var onChange: (@Sendable (AppleAudioMachine) -> Void)?

        init(time: any TimeSource) { self.time = time }

        func setQueue(_ queue: [AudioItem], at urls: [URL]) {
            player.pause()
            player.removeAllItems()
            items = urls.map { AVPlayerItem(url: $0) }
            for item in items { player.insert(item, after: nil) }
            machine.setQueue(queue)
            changed()
        }

        func play() {
            if machine.play(now: time.uptime()) == .play { player.play() }
            changed()
        }

        func pause() {
            machine.pause(at: position)
            player.pause()
            changed()
        }

        func next() {
            guard machine.next(now: time.uptime()) == .advance else { return }
            items.removeFirst()
            player.advanceToNextItem()
            changed()
        }

        func ended(_ item: ObjectIdentifier) {
            // An item that is not the first one was skipped, or belongs to another player.
            guard let first = items.first, ObjectIdentifier(first) == item else { return }
            items.removeFirst()
            machine.itemEnded(now: time.uptime())
            changed()
        }

        func interruptionBegan() {
            machine.interruptionBegan(at: position)
            player.pause()
            changed()
        }

        /// Handles the end of an interruption.
        ///
        /// - Returns: Whether to resume playing.
        func interruptionEnded(shouldResume: Bool) -> Bool { machine.interruptionEnded(shouldResume: shouldResume) }

        /// The player's position, or that of the state machine when the player reports none.
        private var position: Duration {
            let seconds = player.currentTime().seconds
            return seconds.isFinite ? .seconds(max(0, seconds)) : machine.position(now: time.uptime())
        }

        private func changed() {
            let state = machine.state
            if let current = state.current {
                let played = machine.position(now: time.uptime())
                var info: [String: Any] = [
                    MPMediaItemPropertyTitle: current.title,
                    MPNowPlayingInfoPropertyElapsedPlaybackTime: played / .seconds(1),
                    MPNowPlayingInfoPropertyPlaybackRate: state.isPlaying ? 1.0 : 0.0,
                ]
                // The duration is unknown until the item is loaded.
                if let duration = items.first?.duration.seconds, duration.isFinite {
                    info[MPMediaItemPropertyPlaybackDuration] = duration
                }
                MPNowPlayingInfoCenter.default().nowPlayingInfo = info
            } else {
                MPNowPlayingInfoCenter.default().nowPlayingInfo = nil
            }
            onChange?(machine)
        }
    }
#endif
