#if SimulatedApple
    import OSLog
    import SwiftUI
    import os.log

    /// Logs events in each of the ways that tutorials show.
    struct LoggedApp: App {
        @Environment(\.scenePhase) private var phase
        @StateObject private var parcels = Parcels()
        private let logger = Logger(subsystem: "com.example.logged", category: "life")

        var body: some Scene {
            WindowGroup {
                Text("Parcels: \(parcels.count)")
                    .onAppear { parcels.fetch() }
            }
            .onChange(of: phase) { _, new in
                logger.info(
                    "phase \(String(describing: new), privacy: .public), \(UInt(7), format: .hex(includePrefix: true))")
                logger.debug("not kept")
                if new == .background {
                    os_log("%{public}@ of %d, %.1f %%", log: .life, type: .error, "one", 3, 33.333)
                    os_log("left at \(1, align: .right(columns: 2))")
                    os_log(log: .life, "left with \(parcels.count)")
                }
            }
        }
    }

    struct ParcelsPreviews: PreviewProvider {
        static var previews: some View { Text("Parcels: 0") }
    }

    extension OSLog {
        static let life = OSLog(subsystem: "com.example.logged", category: "life")
    }
#endif
