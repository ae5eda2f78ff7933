public import Foundation

extension URL {
    /// Allows the app to use a file that the user has chosen outside of its container. Here every file may be used already.
    /// - Returns: true.
    public func startAccessingSecurityScopedResource() -> Bool { true }

    /// Ends what ``startAccessingSecurityScopedResource()`` began.
    public func stopAccessingSecurityScopedResource() {}
}
