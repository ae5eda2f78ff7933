#if SimulatedApple
    /// The previews of a view for Xcode; nothing shows the previews here.
    ///
    /// `#Preview`, a macro that needs a compiler plugin, compiles only in files that the plugin `RewriteObjC` rewrites.
    @MainActor @preconcurrency
    public protocol PreviewProvider {
        /// The type of the previews.
        associatedtype Previews: View
        /// The views of the previews.
        @ViewBuilder static var previews: Previews { get }
    }
#endif
