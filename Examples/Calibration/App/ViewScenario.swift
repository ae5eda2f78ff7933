import UIKit

#if canImport(SwiftUI)
    import SwiftUI
#else
    import SimulatedSwiftUI
#endif

/// In which order views of SwiftUI appear and disappear when one takes the place of another, in four seconds.
@MainActor
final class ViewScenario: ObservableObject {
    @Published var isPushed = false
    @Published var tab = 1
    private let recorder: Recorder
    private var calls: [String] = []

    init(_ recorder: Recorder) { self.recorder = recorder }

    /// A controller of the views.
    func makeController() -> UIViewController { UIHostingController(rootView: ScenarioTabs(scenario: self)) }

    func called(_ name: String) { calls.append(name) }

    /// Pushes a view, pops it and selects another tab; call it when the controller's view is on the screen.
    func run() {
        calls = []
        after(seconds: 1) { $0.isPushed = true }
        after(seconds: 2) { scenario in
            scenario.answer(.viewsAtPush)
            scenario.isPushed = false
        }
        after(seconds: 3) { scenario in
            scenario.answer(.viewsAtPop)
            scenario.tab = 2
        }
        after(seconds: 4) { $0.answer(.viewsAtSelection) }
    }

    private func answer(_ question: Question) {
        recorder.answer(question, .text(calls.joined(separator: ", ")))
        calls = []
    }

    private func after(seconds: Double, _ action: @escaping @MainActor (ViewScenario) -> Void) {
        _ = Timer.scheduledTimer(withTimeInterval: seconds, repeats: false) { [weak self] _ in
            MainActor.assumeIsolated { if let self { action(self) } }
        }
    }
}

private struct ScenarioTabs: View {
    @ObservedObject var scenario: ViewScenario

    var body: some View {
        TabView(selection: $scenario.tab) {
            NavigationStack {
                page("root").navigationDestination(isPresented: $scenario.isPushed) { page("pushed") }
            }
            .tabItem { Text("1") }.tag(1)
            page("second").tabItem { Text("2") }.tag(2)
        }
    }

    private func page(_ name: String) -> some View {
        Text(name)
            .onAppear { scenario.called("\(name) appears") }
            .onDisappear { scenario.called("\(name) disappears") }
    }
}
