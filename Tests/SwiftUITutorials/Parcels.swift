#if SimulatedApple
    import Foundation
    import os

    /// Fetches parcels in the background.
    // For `@unchecked Sendable`: the delegate's protocol requires it, and the object is used only on the main queue.
    final class Parcels: NSObject, ObservableObject, URLSessionDownloadDelegate, @unchecked Sendable {
        @Published var count = 0
        private let lock = OSAllocatedUnfairLock(initialState: 0)
        private lazy var session = URLSession(
            configuration: .background(withIdentifier: "com.example.parcels"), delegate: self, delegateQueue: .main)

        func fetch() {
            let started = CFAbsoluteTimeGetCurrent()
            session.downloadTask(with: URL(string: "https://example.com/parcel")!).resume()
            Logger().notice("asked at \(CFAbsoluteTimeGetCurrent() - started, format: .fixed(precision: 1)) s")
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            lock.withLock { $0 += 1 }
            count = lock.withLock { $0 }
        }
    }
#endif
