#if SimulatedApple
    // The real module also exports these: an app that imports SwiftUI uses `ObservableObject`, `@Observable`,
    // `Timer.publish`, UIKit and Foundation without further imports.
    @_exported public import Foundation
    @_exported public import Observation
    @_exported public import SimulatedCombine
    @_exported public import SimulatedSwiftUICore
    @_exported public import UIKit
#endif
