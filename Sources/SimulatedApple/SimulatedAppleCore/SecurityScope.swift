public import Foundation

extension URL {
    /// Allows the app to use a file outside its container that the user has chosen; here every file may be used anyway.
    ///
    /// - Returns: `true`.
    public func startAccessingSecurityScopedResource() -> Bool { true }

    /// Ends the access that ``startAccessingSecurityScopedResource()`` began.
    public func stopAccessingSecurityScopedResource() {}
}
