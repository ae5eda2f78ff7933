#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    import AVFoundation
    public import ApusBackground
    import ApusTimers
    import Foundation
    import MediaPlayer

    /// An `AVQueuePlayer` with an audio session of the category `playback`.
    ///
    /// All members may be used from any thread.
    ///
    /// - In the background the player keeps the app running while it plays, if the app declares the mode `audio` in
    ///   `UIBackgroundModes`; when it stops, the system suspends the app (Apple, App Programming Guide for iOS,
    ///   "Background Execution").
    /// - An interruption, such as a call, pauses the player. It resumes by itself only when the system suggests it and
    ///   the player was not paused meanwhile (Apple,
    ///   developer.apple.com/documentation/avfaudio/handling-audio-interruptions).
    /// - When the headphones are unplugged, the system pauses the player, and it stays paused (Apple,
    ///   developer.apple.com/documentation/avfaudio/responding-to-audio-route-changes).
    /// - The lock screen shows the title, the duration and the position. The player handles the commands play, pause,
    ///   toggle and next of the lock screen. There is one lock screen, so an app should have one player.
    /// - ``state`` is the state to which the player was set. An item that cannot be loaded is therefore reported as
    ///   playing.
    public final class AppleAudioPlayer: AudioPlayer {
        private let host: any BackgroundHost
        private let queue: AppleAudioQueue
        private let machine = Locked(AppleAudioMachine())
        private let states: Broadcast<AudioState>
        private let observers = NotificationObservers()
        private let commands = Locked<RemoteCommands?>(nil)

        /// Creates a player without a queue.
        ///
        /// - Parameter host: The host whose main loop controls the player.
        @MainActor
        public init(host: any BackgroundHost) {
            self.host = host
            let states = Broadcast(AudioState(), mainLoop: host.mainLoop)
            self.states = states
            queue = AppleAudioQueue(time: host.engine.time)
            queue.onChange = { [weak self] machine in
                self?.machine.withLock { $0 = machine }
                states.set(machine.state)
            }
            observe()
            let commands = RemoteCommands { [weak self] in self?.obey($0) ?? false }
            self.commands.withLock { $0 = commands }
        }

        // MARK: Reading

        /// The last state that was set.
        public var state: AudioState { states.value }

        /// Returns a new sequence of the states from now on.
        public func stateChanges() -> Changes<AudioState> { states.changes() }

        /// The position in the current item.
        ///
        /// It is the position at which the player last stopped or began an item, plus the time for which it has been
        /// playing since, on the uptime clock.
        public var position: Duration {
            let now = host.engine.time.uptime()
            return machine.withLock { $0.position(now: now) }
        }

        // MARK: Playing

        /// Replaces the queue; nothing plays until ``play()``.
        ///
        /// The source of an item is a URL, or the path of a file.
        ///
        /// - Throws: `BackgroundError` with the code `invalidArgument` when a source is empty.
        public func setQueue(_ items: [AudioItem]) async throws {
            var urls: [URL] = []
            for item in items {
                guard !item.source.isEmpty else {
                    throw BackgroundError(
                        code: .invalidArgument,
                        message: "`source` of the item “\(item.id)” is empty; pass a URL or the path of a file"
                    )
                }
                if let url = URL(string: item.source), url.scheme != nil {
                    urls.append(url)
                } else {
                    urls.append(URL(fileURLWithPath: item.source))
                }
            }
            await host.mainLoop.perform { [queue, urls] in queue.setQueue(items, at: urls) }
        }

        /// Activates the audio session, and starts or resumes playing; without an item it does nothing.
        ///
        /// - Throws: `BackgroundError` with the code `modeUnavailable` when the session cannot be activated, for
        ///   example during a call.
        public func play() async throws {
            guard state.current != nil else { return }
            // These calls are not made on the main thread, because they may block.
            do {
                try AVAudioSession.sharedInstance().setCategory(.playback)
                try AVAudioSession.sharedInstance().setActive(true)
            } catch {
                throw BackgroundError(
                    code: .modeUnavailable,
                    message: "a call or another app has the sound; play again when the interruption has ended",
                    cause: error)
            }
            await host.mainLoop.perform { [queue] in queue.play() }
        }

        /// Pauses the player and keeps its position; an interrupted player stays paused.
        public func pause() async { await host.mainLoop.perform { [queue] in queue.pause() } }

        /// Moves to the next item, or to the end of the queue.
        public func skipToNext() async { await host.mainLoop.perform { [queue] in queue.next() } }

        // MARK: Notifications of the system

        @MainActor
        private func observe() {
            let mainLoop = host.mainLoop
            observers.observe(AVPlayerItem.didPlayToEndTimeNotification) { [weak self] notification in
                guard let item = notification.object.map({ ObjectIdentifier($0 as AnyObject) }) else { return }
                mainLoop.run { self?.queue.ended(item) }
            }
            observers.observe(AVAudioSession.routeChangeNotification) { [weak self] notification in
                let reason = notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt
                guard reason == AVAudioSession.RouteChangeReason.oldDeviceUnavailable.rawValue else { return }
                mainLoop.run { self?.queue.pause() }
            }
            observers.observe(AVAudioSession.interruptionNotification) { [weak self] notification in
                let type = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
                let options = notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt
                let shouldResume = AVAudioSession.InterruptionOptions(rawValue: options ?? 0).contains(.shouldResume)
                switch type.flatMap({ AVAudioSession.InterruptionType(rawValue: $0) }) {
                case .began: mainLoop.run { self?.queue.interruptionBegan() }
                case .ended: mainLoop.run { self?.interruptionEnded(shouldResume: shouldResume) }
                default: break
                }
            }
        }

        @MainActor
        private func interruptionEnded(shouldResume: Bool) {
            guard queue.interruptionEnded(shouldResume: shouldResume) else { return }
            // An error needs no handling here, because the user sees that the player stays paused.
            host.start { [weak self] in try? await self?.play() }
        }

        private func obey(_ command: RemoteCommands.Command) -> Bool {
            guard state.current != nil else { return false }
            host.start { [weak self] in
                switch command {
                case .play: try? await self?.play()
                case .pause: await self?.pause()
                case .toggle:
                    if self?.state.isPlaying == true { await self?.pause() } else { try? await self?.play() }
                case .next: await self?.skipToNext()
                }
            }
            return true
        }
    }

    /// The handlers of commands from the lock screen and from headphones; they are removed when this object is
    /// released.
    ///
    /// The class is `@unchecked Sendable` because no property changes after the initialization, and the deinitializer
    /// only removes targets.
    final class RemoteCommands: @unchecked Sendable {
        enum Command { case play, pause, toggle, next }

        private let targets: [(command: MPRemoteCommand, target: Any)]

        /// Adds the handlers.
        ///
        /// Neither the initializer nor its closures are isolated, because no documentation says on which thread the
        /// system calls the closures.
        ///
        /// - Parameter handler: A closure that starts to carry out a command, and returns whether there is an item to
        ///   play.
        init(_ handler: @escaping @Sendable (Command) -> Bool) {
            let center = MPRemoteCommandCenter.shared()
            targets = [
                (center.playCommand, Command.play), (center.pauseCommand, .pause),
                // The button of headphones sends this command.
                (center.togglePlayPauseCommand, .toggle), (center.nextTrackCommand, .next),
            ]
            .map { remote, command in
                let target = remote.addTarget { _ in handler(command) ? .success : .noActionableNowPlayingItem }
                return (remote, target)
            }
        }

        deinit {
            for (command, target) in targets { command.removeTarget(target) }
        }
    }
#endif
