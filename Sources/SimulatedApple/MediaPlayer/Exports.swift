// The real module also exports Foundation, whose `Date` and `TimeInterval` are in its signatures.
@_exported public import Foundation
