// As the real module does: its signatures are Foundation's `URL` and `Notification`.
@_exported public import Foundation
