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
    ///   - manifest: What the app declares. One that says that the app uses scenes, but has no `sceneDelegate` here, or the
    ///     reverse, is the fault ``/ApusDevice/Fault/Rule/scenesDoNotFit``.
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
        var fitting = manifest
        fitting.usesScenes = sceneDelegate != nil
        install(on: device, manifest: fitting, trackDurations: trackDurations, patience: patience) {
            launch(delegate, sceneDelegate: sceneDelegate)
        }
        if manifest.statesScenes, let fault = manifest.fault(hasSceneDelegate: sceneDelegate != nil) {
            device.fault(fault)
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
            atLaunch {
                let host = process.host
                if let fault = host.manifest.fault(hasSceneDelegate: sceneDelegate != nil) { host.fault(fault) }
                if let sceneDelegate {
                    launch({ (delegate(), {}) }, sceneDelegate: sceneDelegate)
                } else {
                    _ = launch(delegate, sceneDelegate: nil)
                }
            }
        }
    }

    private static func launch(
        _ makeDelegate: @MainActor () -> any UIApplicationDelegate,
        sceneDelegate: (@MainActor @Sendable () -> any UISceneDelegate)?
    ) -> any UIApplicationDelegate {
        let process = SimulatedPhone.process
        let life = ApplicationLifeMachine(phase: process.host.phase, usesScenes: sceneDelegate != nil)
        let application = process.shared.object(of: UIApplication.self) { UIApplication(process, life: life) }
        let delegate = makeDelegate()
        application.launch(delegate: delegate, sceneDelegate: sceneDelegate)
        return delegate
    }
}

extension AppManifest {
    /// The fault of an app whose delegates are others than the manifest says.
    fileprivate func fault(hasSceneDelegate: Bool) -> Fault? {
        guard usesScenes != hasSceneDelegate else { return nil }
        return Fault(
            .scenesDoNotFit,
            usesScenes
                ? "the manifest says that the app uses scenes; give a sceneDelegate, or AppManifest(usesScenes: false)"
                : "there is a sceneDelegate; install the app with AppManifest(usesScenes: true)")
    }
}

extension Fault.Rule {
    /// The manifest says that the app uses scenes, and it has no scene delegate; or it has one, and the manifest says that
    /// there are none.
    public static let scenesDoNotFit = Fault.Rule("scenesDoNotFit")
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
