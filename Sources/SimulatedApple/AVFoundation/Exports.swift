// For system sounds.
@_exported public import AudioToolbox
// As the real module does: its signatures are Foundation's `URL` and `Notification`.
@_exported public import Foundation
// For its form of `NotificationCenter.addObserver`.
@_exported public import SimulatedAppleCore
