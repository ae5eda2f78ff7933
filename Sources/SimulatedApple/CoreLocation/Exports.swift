// As the real module does: its signatures are Foundation's `Date` and `NSError`.
@_exported public import Foundation
