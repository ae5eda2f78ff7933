// The real module also exports Foundation and Dispatch, whose types are in its signatures. Foundation exports Dispatch.
@_exported public import Foundation
