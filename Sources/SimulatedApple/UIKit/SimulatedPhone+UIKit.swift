public import ApusBackground
public import ApusDevice
package import Foundation
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
    ///     reverse, is the fault `scenesDoNotFit`.
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

    /// Runs an app whose delegates are made by their classes.
    static func runMain(_ type: any UIApplicationDelegate.Type) {
        let makeDelegate: @MainActor () -> any UIApplicationDelegate = {
            guard let delegate = Creatable.make(type) as? any UIApplicationDelegate else {
                preconditionFailure("\(type) cannot be made with init()")
            }
            return delegate
        }
        atLaunch {
            guard process.host.manifest.usesScenes else {
                _ = launch(makeDelegate, sceneDelegate: nil)
                return
            }
            let module = String(reflecting: type).prefix { $0 != "." }
            launch({ (makeDelegate(), {}) }, sceneDelegate: { makeSceneDelegate(module: String(module)) })
        }
    }

    /// The delegate of the class that the app's delegate names for the session, or the manifest. Without one it is a fault.
    private static func makeSceneDelegate(module: String) -> any UISceneDelegate {
        let name = process.host.manifest.sceneDelegateClass?
            .replacingOccurrences(of: "$(PRODUCT_MODULE_NAME)", with: module)
        let named: AnyClass? = UIApplication.shared.openSessions.first?.configuration.delegateClass
        if let type = named ?? name.flatMap({ NSClassFromString($0) }),
            let delegate = Creatable.make(type) as? any UISceneDelegate
        {
            return delegate
        }
        process.host.fault(
            Fault(
                .scenesDoNotFit,
                "the manifest says that the app uses scenes, and no class of their delegate is known: set the delegateClass of "
                    + "the configuration in application(_:configurationForConnecting:options:), or UISceneDelegateClassName "
                    + "in the Info.plist" + (name.map { "; there is no class \($0)" } ?? "")))
        return NoSceneDelegate()
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

/// Stands for the delegate of a scene whose class is not known.
private final class NoSceneDelegate: UIResponder, UISceneDelegate {}

/// Has the initializer of `NSObject` as one that may be called on any subclass. Objective-C can do this with any class; here
/// the initializer would have to be `required`, and the slot of NSObject's is the same in all of its subclasses.
package class Creatable: NSObject {
    override required init() { super.init() }

    /// An object of any subclass of `NSObject`, made with its `init()`.
    ///
    /// Not optimized: the optimizer sees that this class has no subclasses, and would make an object of it.
    @_optimize(none)
    package static func make(_ type: AnyClass) -> AnyObject { unsafeBitCast(type, to: Creatable.Type.self).init() }
}
