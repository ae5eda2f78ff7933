#if SimulatedApple
    import SwiftUI

    struct EggTimerApp: App {
        var body: some Scene {
            WindowGroup {
                NavigationStack {
                    EggTimerView()
                        .navigationTitle("Eggs")
                }
            }
        }
    }

    /// Keeps the date at which the egg is done, and computes the remaining time from it.
    ///
    /// The date outlives the app.
    struct EggTimerView: View {
        @Environment(\.scenePhase) private var scenePhase
        @AppStorage("endDate") private var endDate = 0.0
        @State private var remaining = 0
        @State private var timer = Timer.publish(every: 1, on: .main, in: .common)
        @State private var connection: Cancellable?

        var body: some View {
            VStack {
                if remaining > 0 {
                    Text("\(remaining / 60):\(remaining % 60, specifier: "%02d")")
                        .monospacedDigit()
                    Button("Cancel", role: .destructive) { stop() }
                } else {
                    Text("No egg")
                    Button("Boil") { start() }
                }
            }
            .onReceive(timer) { _ in update() }
            .onAppear { resume() }
            .onChange(of: scenePhase) { phase in
                switch phase {
                case .active: resume()
                default: disconnect()
                }
            }
        }

        private func start() {
            endDate = Date().addingTimeInterval(300).timeIntervalSince1970
            resume()
        }

        private func stop() {
            endDate = 0
            resume()
        }

        private func resume() {
            disconnect()
            update()
            if remaining > 0 {
                timer = Timer.publish(every: 1, on: .main, in: .common)
                connection = timer.connect()
            }
        }

        private func disconnect() {
            connection?.cancel()
            connection = nil
        }

        private func update() {
            remaining = max(0, Int((endDate - Date().timeIntervalSince1970).rounded()))
            if remaining == 0 { disconnect() }
        }
    }
#endif
