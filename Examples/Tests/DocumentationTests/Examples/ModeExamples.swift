import ApusBackground
import ApusLinux

/// docs/background.md: sound and positions on Linux.
enum ModeExamples {
    static func listen(host: LinuxHost) async throws {
        // Shown: modes
        let player = MPVAudioPlayer(host: host)
        try await player.setQueue([
            AudioItem(id: "1", title: "Rain", source: "/srv/sounds/rain.ogg"),
            AudioItem(id: "2", title: "News", source: "https://radio.example/news.m3u"),
        ])
        try await player.play()

        let location = GPSDLocationSource(host: host)
        for await update in try location.start(inBackground: true) {
            switch update {
            case .position(let position): print(position.latitude, position.longitude)
            case .noFix: print("no fix")
            case .authorization: break  // does not change on Linux
            }
        }
        // Shown: end
    }
}
