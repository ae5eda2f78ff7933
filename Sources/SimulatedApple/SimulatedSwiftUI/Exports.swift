#if SimulatedApple
    // As the real module does: an app that imports SwiftUI uses `ObservableObject`, `@Observable`, `Timer.publish`,
    // UIKit and Foundation without more ado.
    @_exported public import Foundation
    @_exported public import Observation
    @_exported public import SimulatedCombine
    @_exported public import UIKit
#endif
