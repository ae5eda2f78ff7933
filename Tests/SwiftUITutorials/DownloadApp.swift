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

    /// Publishes its end on the thread on which it comes.
    class Download: ObservableObject {
        @Published var text = "Loading"
        private let queue = DispatchQueue(label: "download")
        private var bag = Set<AnyCancellable>()

        func start() {
            Just("Done")
                .delay(for: .seconds(3), scheduler: queue)
                // Without this line: .receive(on: DispatchQueue.main)
                .sink { [weak self] in self?.text = $0 }
                .store(in: &bag)
        }
    }
#endif
