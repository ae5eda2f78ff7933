// The real UIKit exports these modules too, so an app that imports only UIKit can use `Date`, `Timer`,
// `NotificationCenter` and `CADisplayLink`.
@_exported public import Foundation
@_exported public import QuartzCore
// This module has the forms of `NotificationCenter.addObserver` that Foundation lacks on Linux.
@_exported public import SimulatedAppleCore
// This module has background sessions, which belong to Foundation on Apple's systems.
@_exported public import SimulatedURLSession
// On Apple's systems, UIKit extends the responses of this module.
@_exported public import UserNotifications
