// The real module also exports Foundation and Dispatch, whose types are in its signatures.
@_exported public import Foundation
