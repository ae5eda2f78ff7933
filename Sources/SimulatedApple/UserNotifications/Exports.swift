// As the real module does: its signatures are Foundation's `Date` and `DateComponents`.
@_exported public import Foundation
