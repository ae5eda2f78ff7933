// The real module exports Foundation too.
@_exported public import Foundation
