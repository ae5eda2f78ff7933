// As the real module does: an app that imports UIKit uses `Date`, `Timer` and `NotificationCenter` without more ado,
// and `CADisplayLink`.
@_exported public import Foundation
@_exported public import QuartzCore
// For its form of `NotificationCenter.addObserver`.
@_exported public import SimulatedAppleCore
// For background sessions, which are Foundation's on Apple's systems.
@_exported public import SimulatedURLSession
// Whose responses UIKit extends on Apple's systems.
@_exported public import UserNotifications
