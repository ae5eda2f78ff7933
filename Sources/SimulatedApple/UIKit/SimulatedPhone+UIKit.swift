public import ApusBackground
public import ApusDevice
package import Foundation
public import SimulatedAppleCore

extension SimulatedPhone {
    /// Installs an app with an app delegate on a device, and replaces the app that was installed before.
    ///
    /// ```swift
    /// SimulatedPhone.install(on: device, delegate: AppDelegate(), sceneDelegate: { SceneDelegate() })
    /// ```
    ///
    /// - Parameters:
    ///   - device: The device. An app installed by this method on another device must have ended.
    ///   - manifest: The app's declarations. If they say that the app uses scenes and `sceneDelegate` is `nil`, or the
    ///     reverse, the device records the fault `scenesDoNotFit`.
    ///   - trackDurations: The durations of audio items; other items last three minutes.
    ///   - patience: The real time that the device waits for a background task that is not completed when its launch
    ///     handler returns. The work of such a task continues in a `Task` off the main actor or on another queue.
    ///   - delegate: Makes the app delegate in each new process. Its methods are called as UIKit calls them.
    ///   - sceneDelegate: Makes the scene delegate when the scene is connected.
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

    /// Runs an app with an app delegate in a process of its own, as `UIApplicationMain` does.
    ///
    /// Call it once, on the first thread of the process, from the program given to
    /// ``install(on:manifest:trackDurations:program:)``.
    ///
    /// ```swift
    /// SimulatedPhone.install(on: device, program: { SimulatedPhone.run(AppDelegate()) })
    /// ```
    ///
    /// - Parameters:
    ///   - delegate: Makes the app delegate. Its methods are called as UIKit calls them.
    ///   - sceneDelegate: Makes the scene delegate when the scene is connected. It must be given if, and only if, the
    ///     manifest has ``/ApusDevice/AppManifest/usesScenes``; otherwise the device records the fault
    ///     `scenesDoNotFit`.
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

    /// Runs an app whose delegates are created from their classes, with `init()`.
    static func runMain(_ type: any UIApplicationDelegate.Type) {
        let makeDelegate: @MainActor () -> any UIApplicationDelegate = {
            guard let delegate = Creatable.make(type) as? any UIApplicationDelegate else {
                fatalError("\(type) cannot be created with init()")
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

    /// Creates the scene delegate from the class in the session's configuration, or else the one in the manifest.
    ///
    /// If neither names a class that exists, the device records the fault `scenesDoNotFit`.
    private static func makeSceneDelegate(module: String) -> any UISceneDelegate {
        let name = process.host.manifest.sceneDelegateClass?
            .replacingOccurrences(of: "$(PRODUCT_MODULE_NAME)", with: module)
        let named: AnyClass? = UIApplication.shared.openSessions.first?.configuration.delegateClass
        if let type = named ?? name.flatMap({ NSClassFromString($0) }),
            let delegate = Creatable.make(type) as? any UISceneDelegate
        {
            return delegate
        }
        let problem = name.map { "there is no class \($0)" } ?? "the class of their delegate is unknown"
        process.host.fault(
            Fault(
                .scenesDoNotFit,
                "the manifest says that the app uses scenes, but \(problem); set the delegateClass of the configuration "
                    + "in application(_:configurationForConnecting:options:), or UISceneDelegateClassName in the "
                    + "Info.plist"))
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
    /// Returns the fault of an app that has a scene delegate although its manifest has no scenes, or the reverse.
    fileprivate func fault(hasSceneDelegate: Bool) -> Fault? {
        guard usesScenes != hasSceneDelegate else { return nil }
        return Fault(
            .scenesDoNotFit,
            usesScenes
                ? "the manifest says that the app uses scenes; pass a sceneDelegate, or AppManifest(usesScenes: false)"
                : "the manifest says that the app uses no scenes, but there is a sceneDelegate; install the app with "
                    + "AppManifest(usesScenes: true)")
    }
}

extension Fault.Rule {
    /// The manifest says that the app uses scenes, but the app has no scene delegate; or the reverse.
    public static let scenesDoNotFit = Fault.Rule("scenesDoNotFit")
}

extension SimulatedPhone {
    /// Launches an app with scenes in a process of its own, whatever its manifest says about scenes.
    ///
    /// If the manifest has scenes, the device brings the app to the foreground after this launch, and the scene is
    /// If the manifest has scenes, the device brings the app to the foreground after this launch, and the scene is
    /// connected then. If the manifest has no scenes, the app is already in the foreground when this launch begins, and
    /// the scene is connected at the end of the launch. After a launch in the background, the scene is connected when
    /// the app first comes to the foreground.
    /// - Parameters:
    ///   - make: Makes the app: its delegate, and a closure that is called after the delegate's launch methods. The
    ///     closure may still register handlers of background tasks.
    ///   - sceneDelegate: Makes the scene delegate when the scene is connected.
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

/// The delegate of a scene if the class of the app's own delegate is not known.
private final class NoSceneDelegate: UIResponder, UISceneDelegate {}

/// Declares `init()` of `NSObject` as `required`, so that Swift can call it on any subclass.
///
/// Objective-C can call it on any class without that. The call works because the initializer has the same slot in the
/// method tables of all subclasses of `NSObject`.
package class Creatable: NSObject {
    override required init() { super.init() }

    /// Creates an object of any subclass of `NSObject` with its `init()`.
    ///
    /// The method is not optimized, because the optimizer sees no subclasses of this class, and would create an object
    /// of this class itself.
    @_optimize(none)
    package static func make(_ type: AnyClass) -> AnyObject { unsafeBitCast(type, to: Creatable.Type.self).init() }
}

// The name is Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Runs an app whose delegate has a class with this name, as `main.swift` of an app without `@main` does.
///
/// The class of the application has no effect: it is always ``UIApplication``. If no class has the delegate's name, the
/// program stops, as on a phone.
///
/// Source: Apple, documentation/uikit/uiapplicationmain(_:_:_:_:)
///
/// - Parameters:
///   - argc: The number of arguments, without effect.
///   - argv: The arguments, without effect.
///   - principalClassName: The class of the application, without effect.
///   - delegateClassName: The class of the delegate, as `NSStringFromClass` names it.
/// - Returns: 0, when the app has ended.
@preconcurrency @MainActor @discardableResult
public func UIApplicationMain(
    _ argc: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ principalClassName: String?,
    _ delegateClassName: String?
) -> Int32 {
    guard let name = delegateClassName, let type = NSClassFromString(name) as? any UIApplicationDelegate.Type else {
        fatalError(
            "UIApplicationMain needs the class of the delegate, and there is no \(delegateClassName ?? "name")")
    }
    guard SimulatedPhone.isAppProcess else { SimulatedPhone.stopWithoutPhone("UIApplicationMain") }
    SimulatedPhone.runMain(type)
    return 0
}
