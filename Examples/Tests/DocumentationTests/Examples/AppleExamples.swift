#if canImport(UIKit)
    import Apus
    import ApusApple
    import UIKit

    private func refreshNews() async throws {}

    // Shown: apple-delegate
    final class AppDelegate: UIResponder, UIApplicationDelegate {
        private var host: AppleHost?
        private var jobs: AppleBackgroundJobs?

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            let host = AppleHost()
            let jobs = AppleBackgroundJobs(host: host)
            do {
                try jobs.register("com.example.news.refresh") { [weak jobs] run in
                    let next = host.engine.time.wall().advanced(by: .seconds(4 * 3_600))
                    try await jobs?.submit(BackgroundJobRequest(run.identifier, .refresh, earliestBegin: next))
                    try await refreshNews()  // cancelled when the time is over
                }
            } catch {
                print("no refresh: \(error)")
            }
            (self.host, self.jobs) = (host, jobs)
            return true
        }
    }
// Shown: end
#endif
