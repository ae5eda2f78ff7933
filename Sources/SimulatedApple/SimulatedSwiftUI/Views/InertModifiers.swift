#if SimulatedApple
    // Modifiers of a view's look. Nothing is drawn, so they return the view unchanged. Rules: Apple, the pages of the
    // same names.
    extension View {
        /// Returns the view unchanged.
        public func font(_ font: Font?) -> some View { self }
        /// Returns the view unchanged.
        public func fontWeight(_ weight: Font.Weight?) -> some View { self }
        /// Returns the view unchanged.
        public func bold(_ isActive: Bool = true) -> some View { self }
        /// Returns the view unchanged.
        public func italic(_ isActive: Bool = true) -> some View { self }
        /// Returns the view unchanged.
        public func monospaced(_ isActive: Bool = true) -> some View { self }
        /// Returns the view unchanged.
        public func monospacedDigit() -> some View { self }
        /// Returns the view unchanged.
        public func lineLimit(_ number: Int?) -> some View { self }
        /// Returns the view unchanged.
        public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { self }
        /// Returns the view unchanged.
        public func foregroundColor(_ color: Color?) -> some View { self }
        /// Returns the view unchanged.
        public func foregroundStyle(_ style: some ShapeStyle) -> some View { self }
        /// Returns the view unchanged.
        public func tint(_ tint: Color?) -> some View { self }
        /// Returns the view unchanged.
        public func background(_ style: some ShapeStyle) -> some View { self }
        /// Returns the view unchanged.
        public func opacity(_ opacity: Double) -> some View { self }
        /// Returns the view unchanged.
        public func cornerRadius(_ radius: CGFloat) -> some View { self }
        /// Returns the view unchanged.
        public func shadow(radius: CGFloat) -> some View { self }
        /// Returns the view unchanged.
        public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
        /// Returns the view unchanged.
        public func padding(_ length: CGFloat) -> some View { self }
        /// Returns the view unchanged.
        public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View {
            self
        }
        /// Returns the view unchanged.
        public func frame(
            minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
            idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
        ) -> some View { self }
        /// Returns the view unchanged.
        public func offset(x: CGFloat = 0, y: CGFloat = 0) -> some View { self }
        /// Returns the view unchanged.
        public func scaleEffect(_ scale: CGFloat) -> some View { self }
        /// Returns the view unchanged.
        public func ignoresSafeArea() -> some View { self }
        /// Returns the view unchanged.
        public func imageScale(_ scale: Image.Scale) -> some View { self }
        /// Returns the view unchanged.
        public func buttonStyle(_ style: ButtonStyleName) -> some View { self }
        /// Returns the view unchanged.
        public func controlSize(_ size: ControlSize) -> some View { self }
        /// Returns the view unchanged.
        public func listStyle(_ style: ListStyleName) -> some View { self }
        /// Returns the view unchanged.
        public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View { self }
        /// Returns the view unchanged.
        public func accessibilityLabel(_ label: LocalizedStringKey) -> some View { self }
        /// Returns the view unchanged.
        public func accessibilityIdentifier(_ identifier: String) -> some View { self }
        /// Returns the view unchanged: titles of navigation bars are not among the lines of a screen.
        public func navigationTitle(_ title: LocalizedStringKey) -> some View { self }
        /// Returns the view unchanged: titles of navigation bars are not among the lines of a screen.
        @_disfavoredOverload
        public func navigationTitle(_ title: some StringProtocol) -> some View { self }
    }
#endif
