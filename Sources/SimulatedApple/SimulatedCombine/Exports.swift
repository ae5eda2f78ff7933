#if SimulatedApple
    // OpenCombine does not export Foundation, whose `Timer` an app with Combine uses.
    @_exported public import Foundation
    // A target that is compiled with `-module-alias Combine=SimulatedCombine` imports this module as `Combine`.
    // OpenCombine has Combine's names and behavior, including the extensions of Dispatch and Foundation.
    @_exported public import OpenCombine
    @_exported public import OpenCombineDispatch
    @_exported public import OpenCombineFoundation
#endif
