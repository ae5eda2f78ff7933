// The real UIKit exports these modules too, so an app that imports only UIKit can use `Date`, `Timer`,
// `NotificationCenter` and `CADisplayLink`.
@_exported public import Foundation
@_exported public import QuartzCore
// SimulatedAppleCore has the forms of `NotificationCenter.addObserver` that Foundation lacks on Linux.
@_exported public import SimulatedAppleCore
// SimulatedURLSession has background sessions, which belong to Foundation on Apple's systems.
@_exported public import SimulatedURLSession
// On Apple's systems, UIKit extends the responses of UserNotifications.
@_exported public import UserNotifications
