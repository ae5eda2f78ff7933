#if SimulatedApple
    import SwiftUI

    /// Downloads a map when it is opened, and is notified in the background when the download has ended.
    struct MapsApp: App {
        private let maps = Maps()

        var body: some Scene {
            WindowGroup {
                Text("Maps").onAppear { maps.download() }
            }
            .backgroundTask(.urlSession("com.example.maps")) {
                await maps.finish()
            }
        }
    }

    /// The delegate of the downloads, which is used only on the main thread.
    private final class Maps: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
        private lazy var session = URLSession(
            configuration: .background(withIdentifier: "com.example.maps"), delegate: self, delegateQueue: .main)

        @MainActor
        func download() {
            guard let url = URL(string: "https://maps.example.com/north.bin") else { return }
            session.downloadTask(with: url).resume()
        }

        @MainActor
        func finish() async {
            // If this process was started for a session, the session is that of the previous process.
            let count = await session.allTasks.count
            SimulatedPhone.note("finish, \(count) tasks")
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) { SimulatedPhone.note("map \(downloadTask.taskIdentifier)") }
    }
#endif
