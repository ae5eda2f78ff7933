#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    import MediaPlayer

    /// The commands of the lock screen and of headphones that a player answers, until this object goes.
    ///
    /// For `@unchecked Sendable`: nothing of it changes after its making, and its end only takes targets away.
    final class RemoteCommands: @unchecked Sendable {
        enum Command { case play, pause, toggle, next }

        private let targets: [(command: MPRemoteCommand, target: Any)]

        /// Not isolated, and so are the closures, as no documentation says where the system calls them.
        ///
        /// - Parameter handler: Does what the user wants soon, and says whether there is anything to be done.
        init(_ handler: @escaping @Sendable (Command) -> Bool) {
            let center = MPRemoteCommandCenter.shared()
            targets = [
                (center.playCommand, Command.play), (center.pauseCommand, .pause),
                // The button of headphones.
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
