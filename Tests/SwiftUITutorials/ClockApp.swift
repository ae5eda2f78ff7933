#if SimulatedApple
    import SwiftUI

    struct ClockApp: App {
        private let start = Date()

        init() {
            UIApplication.shared.isIdleTimerDisabled = true
        }

        var body: some Scene {
            WindowGroup {
                TimelineView(.periodic(from: start, by: 5)) { context in
                    Text("\(Int(context.date.timeIntervalSince(start).rounded())) s")
                }
            }
        }
    }
#endif
