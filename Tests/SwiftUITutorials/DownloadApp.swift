#if SimulatedApple
    import Combine
    import SwiftUI

    struct DownloadApp: App {
        @StateObject private var download = Download()

        var body: some Scene {
            WindowGroup {
                Text(download.text)
                    .onAppear { download.start() }
            }
        }
    }

    /// Publishes the end of a download, on the thread on which the end is reported.
    class Download: ObservableObject {
        @Published var text = "Loading"
        private let queue = DispatchQueue(label: "download")
        private var bag = Set<AnyCancellable>()

        func start() {
            Just("Done")
                .delay(for: .seconds(3), scheduler: queue)
                // Without `.receive(on: DispatchQueue.main)` here, the text is changed on the download's queue.
                .sink { [weak self] in self?.text = $0 }
                .store(in: &bag)
        }
    }
#endif
