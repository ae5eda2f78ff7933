#if SimulatedApple
    import BackgroundTasks
    import SwiftUI

    // Shown: swiftui app
    /// Is refreshed in the background, and asks in each refresh for the next one.
    struct NewsApp: App {
        @Environment(\.scenePhase) private var phase
        @State private var news = News()

        var body: some Scene {
            WindowGroup {
                NewsView()
                    .environment(news)
            }
            .onChange(of: phase) {
                if phase == .background { News.scheduleRefresh() }
            }
            .backgroundTask(.appRefresh("com.example.refresh")) {
                News.scheduleRefresh()
                await news.refresh()
            }
        }
    }
    // Shown: end

    /// Asks for a refresh only when the user leaves the app.
    struct ForgetfulNewsApp: App {
        @Environment(\.scenePhase) private var phase
        @State private var news = News()

        var body: some Scene {
            WindowGroup {
                NewsView()
                    .environment(news)
            }
            .onChange(of: phase) {
                if phase == .background { News.scheduleRefresh() }
            }
            .backgroundTask(.appRefresh("com.example.refresh")) {
                await news.refresh()
            }
        }
    }

    /// Downloads for longer than a refresh may take, and notices when it is cancelled.
    struct SlowNewsApp: App {
        @State private var news = News()

        var body: some Scene {
            WindowGroup {
                NewsView()
                    .environment(news)
                    .onAppear { News.scheduleRefresh() }
            }
            .backgroundTask(.appRefresh("com.example.refresh")) {
                await news.refresh(seconds: 120)
            }
        }
    }

    /// Downloads for longer than a refresh may take, and does not notice that it is cancelled.
    struct DeafNewsApp: App {
        var body: some Scene {
            WindowGroup {
                Text("News")
                    .onAppear { News.scheduleRefresh() }
            }
            .backgroundTask(.appRefresh("com.example.refresh")) {
                await withCheckedContinuation { continuation in
                    DispatchQueue.global().asyncAfter(deadline: .now() + 120) { continuation.resume() }
                }
            }
        }
    }

    @MainActor
    @Observable
    class News {
        var headlines = UserDefaults.standard.integer(forKey: "headlines")

        nonisolated static func scheduleRefresh() {
            let request = BGAppRefreshTaskRequest(identifier: "com.example.refresh")
            request.earliestBeginDate = .now.addingTimeInterval(15 * 60)
            do {
                try BGTaskScheduler.shared.submit(request)
            } catch {
                print("Could not schedule app refresh: \(error)")
            }
        }

        func refresh(seconds: UInt64 = 2) async {
            do {
                try await Task.sleep(nanoseconds: seconds * 1_000_000_000)
                headlines += 10
                UserDefaults.standard.set(headlines, forKey: "headlines")
            } catch {
                print("The refresh was cancelled")
            }
        }
    }

    struct NewsView: View {
        @Environment(News.self) private var news

        var body: some View {
            NavigationStack {
                Text("\(news.headlines) headlines")
                    .task { await news.refresh() }
            }
        }
    }
#endif
