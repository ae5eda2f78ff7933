// Apps with AVFoundation use system sounds too.
@_exported public import AudioToolbox
// The real module also exports Foundation, whose `URL` and `Notification` are in its signatures.
@_exported public import Foundation
// SimulatedAppleCore declares the form of `NotificationCenter.addObserver` for the simulated phone.
@_exported public import SimulatedAppleCore
