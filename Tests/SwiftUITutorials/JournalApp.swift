#if SimulatedApple
    import SwiftUI
    import UIKit

    struct JournalApp: App {
        @UIApplicationDelegateAdaptor(JournalDelegate.self) private var delegate
        @Environment(\.scenePhase) private var scenePhase
        @StateObject private var journal = Journal()

        var body: some Scene {
            WindowGroup {
                JournalView()
                    .environmentObject(journal)
            }
            .onChange(of: scenePhase) {
                if scenePhase == .background { delegate.save(journal) }
            }
        }
    }

    /// Asks for background time, so that the journal can be saved.
    class JournalDelegate: NSObject, UIApplicationDelegate {
        private var task = UIBackgroundTaskIdentifier.invalid

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
        ) -> Bool {
            UserDefaults.standard.register(defaults: ["entries": ["Welcome"]])
            return true
        }

        func save(_ journal: Journal) {
            let application = UIApplication.shared
            task = application.beginBackgroundTask(withName: "save") { [weak self] in self?.end() }
            Task {
                await journal.save()
                end()
            }
        }

        private func end() {
            UIApplication.shared.endBackgroundTask(task)
            task = .invalid
        }
    }

    /// The entries, and the number of entries that were saved.
    @MainActor
    class Journal: ObservableObject {
        @Published var entries: [String]
        @Published private(set) var saved = 0

        init() {
            entries = UserDefaults.standard.stringArray(forKey: "entries") ?? []
            saved = entries.count
        }

        func add() { entries.append("Entry \(entries.count)") }

        func save() async {
            // The sleep simulates a slow disk.
            try? await Task.sleep(nanoseconds: 10_000_000_000)
            UserDefaults.standard.set(entries, forKey: "entries")
            saved = entries.count
        }
    }

    struct JournalView: View {
        @EnvironmentObject var journal: Journal

        var body: some View {
            List {
                Section(header: Text("Journal")) {
                    ForEach(journal.entries, id: \.self) { entry in
                        Text(entry)
                    }
                }
                Section {
                    Button("Add", systemImage: "plus") { journal.add() }
                    Text("\(journal.saved) saved")
                }
            }
        }
    }
#endif
