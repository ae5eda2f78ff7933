// The real module exports Foundation too, because its signatures contain Foundation's `Date` and `DateComponents`.
@_exported public import Foundation
