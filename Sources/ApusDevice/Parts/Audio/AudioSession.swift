/// What an app's sound is for.
package enum AudioCategory: String, Sendable, Hashable, Codable, CaseIterable {
    /// Sound beside the rest of the app, the default: it does not continue in the background.
    case soloAmbient
    /// Sound that is what the app is for: it may continue in the background.
    ///
    /// Apple, documentation/avfoundation/configuring-your-app-for-media-playback
    case playback
}

/// The events of an app's audio session, on its main loop.
///
/// Apple, documentation/avfaudio/handling-audio-interruptions
package enum AudioSessionEvent: Sendable, Hashable, Codable {
    /// The session was made inactive and the player paused: by a call or another app, or, if `appWasSuspended`, because
    /// the app was suspended; that is reported only when the app runs again.
    case interruptionBegan(appWasSuspended: Bool)
    /// The interruption is over. Resume playing only if `shouldResume`.
    case interruptionEnded(shouldResume: Bool)
    /// The headphones were unplugged, and the player is paused.
    ///
    /// Apple, documentation/avfaudio/responding-to-audio-route-changes
    case outputLost
}
