public import ApusBackground
public import ApusTesting
public import SimulatedPhone

extension SimulatedPhone {
    /// Puts an app with an app delegate on a device, in place of the one that was there.
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
    ///     handler returns, because the work goes on in a `Task` off the main actor or on another queue.
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
            let process = SimulatedPhone.process
            let life = ApplicationLifeMachine(phase: process.host.phase, usesScenes: usesScenes)
            let application = process.shared.object(of: UIApplication.self) { UIApplication(process, life: life) }
            let delegate = delegate()
            application.launch(delegate: delegate, sceneDelegate: sceneDelegate)
            return delegate
        }
    }
}
