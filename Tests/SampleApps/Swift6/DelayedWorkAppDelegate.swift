import UIKit

/// An app whose parts use ``DelayedWork``.
class DelayedWorkAppDelegate: UIResponder, UIApplicationDelegate {
    let work = DelayedWork()
}
