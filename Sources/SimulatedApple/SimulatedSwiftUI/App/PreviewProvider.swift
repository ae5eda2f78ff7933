#if SimulatedApple
    /// The previews of a view for Xcode, which nothing shows here.
    ///
    /// `#Preview` is a macro, which needs a compiler plugin, and does not compile.
    @MainActor @preconcurrency
    public protocol PreviewProvider {
        /// The type of the previews.
        associatedtype Previews: View
        /// The views of the previews.
        @ViewBuilder static var previews: Previews { get }
    }
#endif
