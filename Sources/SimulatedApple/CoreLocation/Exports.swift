// The real module also exports Foundation, whose `Date` and `NSError` are in its signatures.
@_exported public import Foundation
