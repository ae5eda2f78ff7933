// As the real module does.
@_exported public import Foundation
