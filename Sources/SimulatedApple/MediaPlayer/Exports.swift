// As the real module does: its signatures are Foundation's `Date` and `TimeInterval`.
@_exported public import Foundation
