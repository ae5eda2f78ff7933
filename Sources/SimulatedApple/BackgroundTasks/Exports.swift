// As the real module does: its signatures are Foundation's `Date` and `Progress`, and Dispatch's queues.
@_exported public import Foundation
