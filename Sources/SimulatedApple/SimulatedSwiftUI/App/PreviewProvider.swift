#if SimulatedApple
    /// Describes previews of a view for Xcode. Nothing shows them here. (`#Preview` is a macro, which needs a compiler plugin,
    /// and does not compile.)
    @MainActor @preconcurrency
    public protocol PreviewProvider {
        /// The type of the views that are shown.
        associatedtype Previews: View
        /// The views that are shown.
        @ViewBuilder static var previews: Previews { get }
    }
#endif
