#if SimulatedApple
    import Combine
    import SwiftUI

    @main
    struct CountdownApp: App {
        var body: some Scene {
            WindowGroup {
                CountdownView()
            }
        }
    }

    /// Counts the ticks of a timer that pauses when the app is not in front.
    struct CountdownView: View {
        @Environment(\.scenePhase) var scenePhase
        @State private var timeRemaining = 100
        @State private var isActive = true

        let timer = Timer.publish(every: 1, on: .main, in: .common).autoconnect()

        var body: some View {
            VStack(spacing: 20) {
                Text("Time: \(timeRemaining)")
                    .font(.largeTitle)
                    .foregroundColor(.white)
                    .padding(.horizontal, 20)
                    .background(.black)
                Button(isActive ? "Pause" : "Resume") { isActive.toggle() }
                    .buttonStyle(.borderedProminent)
            }
            .onReceive(timer) { time in
                guard isActive else { return }
                if timeRemaining > 0 {
                    timeRemaining -= 1
                }
            }
            .onChange(of: scenePhase) { oldPhase, newPhase in
                if newPhase == .active {
                    isActive = true
                } else {
                    isActive = false
                }
            }
        }
    }
#endif
