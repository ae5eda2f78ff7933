#if SimulatedApple
    // Modifiers that change how a view looks, of which nothing is drawn: they return the view as it is. Rules: Apple,
    // the pages of the same names.
    extension View {
        /// Changes nothing here.
        public func font(_ font: Font?) -> some View { self }
        /// Changes nothing here.
        public func fontWeight(_ weight: Font.Weight?) -> some View { self }
        /// Changes nothing here.
        public func bold(_ isActive: Bool = true) -> some View { self }
        /// Changes nothing here.
        public func italic(_ isActive: Bool = true) -> some View { self }
        /// Changes nothing here.
        public func monospaced(_ isActive: Bool = true) -> some View { self }
        /// Changes nothing here.
        public func monospacedDigit() -> some View { self }
        /// Changes nothing here.
        public func lineLimit(_ number: Int?) -> some View { self }
        /// Changes nothing here.
        public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { self }
        /// Changes nothing here.
        public func foregroundColor(_ color: Color?) -> some View { self }
        /// Changes nothing here.
        public func foregroundStyle(_ style: some ShapeStyle) -> some View { self }
        /// Changes nothing here.
        public func tint(_ tint: Color?) -> some View { self }
        /// Changes nothing here.
        public func background(_ style: some ShapeStyle) -> some View { self }
        /// Changes nothing here.
        public func opacity(_ opacity: Double) -> some View { self }
        /// Changes nothing here.
        public func cornerRadius(_ radius: CGFloat) -> some View { self }
        /// Changes nothing here.
        public func shadow(radius: CGFloat) -> some View { self }
        /// Changes nothing here.
        public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
        /// Changes nothing here.
        public func padding(_ length: CGFloat) -> some View { self }
        /// Changes nothing here.
        public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View {
            self
        }
        /// Changes nothing here.
        public func frame(
            minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
            idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
        ) -> some View { self }
        /// Changes nothing here.
        public func offset(x: CGFloat = 0, y: CGFloat = 0) -> some View { self }
        /// Changes nothing here.
        public func scaleEffect(_ scale: CGFloat) -> some View { self }
        /// Changes nothing here.
        public func ignoresSafeArea() -> some View { self }
        /// Changes nothing here.
        public func imageScale(_ scale: Image.Scale) -> some View { self }
        /// Changes nothing here.
        public func buttonStyle(_ style: ButtonStyleName) -> some View { self }
        /// Changes nothing here.
        public func controlSize(_ size: ControlSize) -> some View { self }
        /// Changes nothing here.
        public func listStyle(_ style: ListStyleName) -> some View { self }
        /// Changes nothing here.
        public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View { self }
        /// Changes nothing here.
        public func accessibilityLabel(_ label: LocalizedStringKey) -> some View { self }
        /// Changes nothing here.
        public func accessibilityIdentifier(_ identifier: String) -> some View { self }
        /// Changes nothing here: titles of bars are not among the lines of a screen.
        public func navigationTitle(_ title: LocalizedStringKey) -> some View { self }
        /// Changes nothing here: titles of bars are not among the lines of a screen.
        @_disfavoredOverload
        public func navigationTitle(_ title: some StringProtocol) -> some View { self }
    }
#endif
