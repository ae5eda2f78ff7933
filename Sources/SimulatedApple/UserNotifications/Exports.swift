// The real module also exports Foundation, whose `Date` and `DateComponents` are in its signatures.
@_exported public import Foundation
