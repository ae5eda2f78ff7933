public import ApusBackground
public import ApusDevice
public import SimulatedAppleCore

extension SimulatedPhone {
    /// Puts an app with an app delegate on a device, in place of the earlier one.
    ///
    /// ```swift
    /// SimulatedPhone.install(on: device, delegate: AppDelegate(), sceneDelegate: { SceneDelegate() })
    /// ```
    ///
    /// - Parameters:
    ///   - device: The device. Another one, on which an app that was installed here still runs, must have gone.
    ///   - manifest: What the app declares. Whether it uses scenes is decided by `sceneDelegate`.
    ///   - trackDurations: How long audio items last; others last three minutes.
    ///   - patience: How much real time the device gives to a background task that is not completed when its launch
    ///     handler returns, because the work continues in a `Task` off the main actor or on another queue.
    ///   - delegate: Makes the app delegate, in each new process; then its methods are called as UIKit does.
    ///   - sceneDelegate: Makes the scene delegate, when the scene is connected.
    public static func install(
        on device: SimulatedDevice, manifest: AppManifest = AppManifest(),
        trackDurations: [AudioItem.ID: Duration] = [:],
        patience: Duration = .zero,
        delegate: @autoclosure @escaping @MainActor @Sendable () -> any UIApplicationDelegate,
        sceneDelegate: (@MainActor @Sendable () -> any UISceneDelegate)? = nil
    ) {
        var manifest = manifest
        manifest.usesScenes = sceneDelegate != nil
        install(on: device, manifest: manifest, trackDurations: trackDurations, patience: patience) {
            [usesScenes = manifest.usesScenes] in
            launch(delegate, sceneDelegate: sceneDelegate, usesScenes: usesScenes)
        }
    }

    /// Runs an app with an app delegate in a process of its own, for ``install(on:manifest:trackDurations:program:)``: what
    /// `UIApplicationMain` does. It is called on the first thread of the process, once.
    ///
    /// ```swift
    /// SimulatedPhone.install(on: device, program: { SimulatedPhone.run(AppDelegate()) })
    /// ```
    ///
    /// - Parameters:
    ///   - delegate: Makes the app delegate; then its methods are called as UIKit does.
    ///   - sceneDelegate: Makes the scene delegate, when the scene is connected. Whether there is one has to be what the
    ///     manifest says with ``/ApusDevice/AppManifest/usesScenes``.
    nonisolated public static func run(
        _ delegate: @autoclosure @escaping @MainActor () -> any UIApplicationDelegate,
        sceneDelegate: (@MainActor @Sendable () -> any UISceneDelegate)? = nil
    ) {
        guard SimulatedPhone.isAppProcess else { stopWithoutPhone("SimulatedPhone.run") }
        MainActor.assumeIsolated {
            let usesScenes = process.host.manifest.usesScenes
            precondition(
                usesScenes == (sceneDelegate != nil),
                usesScenes
                    ? "the manifest says that the app uses scenes; give a sceneDelegate, or AppManifest(usesScenes: false)"
                    : "there is a sceneDelegate; install the app with AppManifest(usesScenes: true)")
            atLaunch { _ = launch(delegate, sceneDelegate: sceneDelegate, usesScenes: usesScenes) }
        }
    }

    private static func launch(
        _ makeDelegate: @MainActor () -> any UIApplicationDelegate,
        sceneDelegate: (@MainActor @Sendable () -> any UISceneDelegate)?,
        usesScenes: Bool
    ) -> any UIApplicationDelegate {
        let process = SimulatedPhone.process
        let life = ApplicationLifeMachine(phase: process.host.phase, usesScenes: usesScenes)
        let application = process.shared.object(of: UIApplication.self) { UIApplication(process, life: life) }
        let delegate = makeDelegate()
        application.launch(delegate: delegate, sceneDelegate: sceneDelegate)
        return delegate
    }
}

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
