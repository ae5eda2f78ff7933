/// The base class of app delegates and scene delegates. The simulation has no events that it could respond to.
@preconcurrency @MainActor
open class UIResponder: NSObject {}
