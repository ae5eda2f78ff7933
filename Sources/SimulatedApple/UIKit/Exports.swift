// As the real module does: an app that imports UIKit uses `Date`, `Timer` and `NotificationCenter` without more ado.
@_exported public import Foundation
// For its form of `NotificationCenter.addObserver`.
@_exported public import SimulatedPhone
