import BackgroundTasks
import UIKit

/// The identifiers of background tasks that the `Info.plist` declares.
enum TaskIdentifier: String, CaseIterable {
    case first = "com.example.calibration.first"
    case second = "com.example.calibration.second"
}

/// The app that records how a phone behaves: see docs/simulated-apple.md, "Compared with a phone".
#if os(iOS)
    @main
#endif
final class CalibrationDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let recorder = Recorder.shared
        recorder.called("didFinishLaunching")
        let state =
            switch application.applicationState {
            case .active: "active"
            case .inactive: "inactive"
            case .background: "background"
            @unknown default: "unknown"
            }
        recorder.answer(.stateAtLaunch, .text(state))
        for identifier in TaskIdentifier.allCases {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier.rawValue, using: .main) { task in
                task.setTaskCompleted(success: true)
            }
        }
        let isRegistered = BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.calibration.undeclared", using: .main
        ) { task in task.setTaskCompleted(success: true) }
        recorder.answer(.undeclaredIdentifier, .text("\(isRegistered)"))
        return true
    }

    // A phone calls these in an app without scenes only.

    func applicationWillEnterForeground(_ application: UIApplication) {
        Recorder.shared.called("applicationWillEnterForeground")
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        Recorder.shared.called("applicationDidBecomeActive")
    }

    func applicationWillResignActive(_ application: UIApplication) {
        Recorder.shared.called("applicationWillResignActive")
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        Recorder.shared.called("applicationDidEnterBackground")
    }
}

/// Runs the scenarios at the calls of the system, and shows what the user has to do.
final class CalibrationScene: UIResponder, UIWindowSceneDelegate {
    private enum Stage { case launching, inForeground, ready, left, leftTooEarly, ended }

    var window: UIWindow?
    private let recorder = Recorder.shared
    private let views = ViewScenario(.shared)
    private let label = UILabel()
    private var background: BackgroundScenario?
    private var stage = Stage.launching

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        recorder.called("sceneWillConnect")
        guard let scene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: scene)
        let controller = UIViewController()
        label.frame = window.bounds
        label.numberOfLines = 0
        label.textAlignment = .center
        controller.view.backgroundColor = .systemBackground
        let child = views.makeController()
        child.view.frame = window.bounds
        controller.addChild(child)
        controller.view.addSubview(child.view)
        child.didMove(toParent: controller)
        controller.view.addSubview(label)
        window.rootViewController = controller
        window.makeKeyAndVisible()
        self.window = window
    }

    func sceneWillEnterForeground(_ scene: UIScene) { recorder.called("sceneWillEnterForeground") }

    func sceneDidBecomeActive(_ scene: UIScene) {
        recorder.called("sceneDidBecomeActive")
        switch stage {
        case .launching:
            stage = .inForeground
            recorder.answerWithCallbacks(.callbacksOfLaunch)
            label.text = "Recording. Wait."
            background = BackgroundScenario(recorder)
            ForegroundScenario.run(recorder)
            views.run()
            after(seconds: 5) { scene in
                guard scene.stage == .inForeground else { return }
                scene.stage = .ready
                scene.label.text = "Go to the Home Screen now, and come back after two minutes."
            }
        case .left where background?.hasExpired == true:
            stage = .ended
            after(seconds: 4) { $0.finish() }
        case .left, .leftTooEarly:
            stage = .leftTooEarly
            label.text = "That was too early. Close the app in the app switcher, and begin again."
        case .inForeground, .ready, .ended: break
        }
    }

    func sceneWillResignActive(_ scene: UIScene) { recorder.called("sceneWillResignActive") }

    func sceneDidEnterBackground(_ scene: UIScene) {
        recorder.called("sceneDidEnterBackground")
        switch stage {
        case .ready:
            stage = .left
            recorder.answerWithCallbacks(.callbacksOfLeaving)
            background?.begin()
        case .inForeground: stage = .leftTooEarly
        case .launching, .left, .leftTooEarly, .ended: break
        }
    }

    private func finish() {
        background?.end()
        do {
            try recorder.finish()
            label.text = "The recording is in recording.json, in the app's documents."
        } catch {
            label.text = "The recording cannot be written: \(error)"
        }
    }

    private func after(seconds: Double, _ action: @escaping @MainActor (CalibrationScene) -> Void) {
        _ = Timer.scheduledTimer(withTimeInterval: seconds, repeats: false) { [weak self] _ in
            MainActor.assumeIsolated { if let self { action(self) } }
        }
    }
}
