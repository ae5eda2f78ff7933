import ApusBackground
package import SimulatedAppleCore

extension SimulatedPhone {
    /// Launches an app with scenes in a process of its own, whatever the manifest says of them.
    ///
    /// With a manifest without scenes the device has the app come to the front before it is launched, and otherwise after
    /// that: the scene is connected on the way to the front in both cases.
    ///
    /// - Parameters:
    ///   - make: Makes the app: its delegate, and what is called after its launch method. Handlers of background
    ///     tasks may be registered then.
    ///   - sceneDelegate: Makes the scene delegate, when the scene is connected.
    @MainActor
    package static func launchApp(
        _ make: @escaping @MainActor () -> (delegate: any UIApplicationDelegate, didLaunch: () -> Void),
        sceneDelegate: @escaping @MainActor @Sendable () -> any UISceneDelegate
    ) { atLaunch { launch(make, sceneDelegate: sceneDelegate) } }

    @MainActor
    private static func launch(
        _ make: () -> (delegate: any UIApplicationDelegate, didLaunch: () -> Void),
        sceneDelegate: @escaping @MainActor @Sendable () -> any UISceneDelegate
    ) {
        let process = SimulatedPhone.process
        let life = ApplicationLifeMachine(phase: .background, usesScenes: true)
        let application = process.shared.object(of: UIApplication.self) { UIApplication(process, life: life) }
        let app = make()
        application.launch(delegate: app.delegate, sceneDelegate: sceneDelegate)
        app.didLaunch()
        if process.host.phase != .background { application.enter(process.host.phase) }
    }
}
