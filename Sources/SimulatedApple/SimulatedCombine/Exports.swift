#if SimulatedApple
    // For `Timer`.
    @_exported public import Foundation
    // What `import Combine` means in a target that is compiled with `-module-alias Combine=SimulatedCombine`:
    // OpenCombine, which has Combine's names and behaviour, with what it adds to Dispatch and Foundation.
    @_exported public import OpenCombine
    @_exported public import OpenCombineDispatch
    @_exported public import OpenCombineFoundation
#endif
