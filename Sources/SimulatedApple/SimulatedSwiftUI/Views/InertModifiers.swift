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
        /// Returns the view unchanged, because titles of navigation bars are not among the lines of a screen.
        public func navigationTitle(_ title: LocalizedStringKey) -> some View { self }
        /// Returns the view unchanged, because titles of navigation bars are not among the lines of a screen.
        @_disfavoredOverload
        public func navigationTitle(_ title: some StringProtocol) -> some View { self }
        /// Returns the view unchanged.
        public func accentColor(_ color: Color?) -> some View { self }
        /// Returns the view unchanged.
        public func aspectRatio(_ ratio: CGFloat? = nil, contentMode: ContentMode) -> some View { self }
        /// Returns the view unchanged.
        public func scaledToFit() -> some View { self }
        /// Returns the view unchanged.
        public func scaledToFill() -> some View { self }
        /// Returns the view unchanged.
        public func minimumScaleFactor(_ factor: CGFloat) -> some View { self }
        /// Returns the view unchanged.
        public func allowsTightening(_ flag: Bool) -> some View { self }
        /// Returns the view unchanged.
        public func truncationMode(_ mode: Text.TruncationMode) -> some View { self }
        /// Returns the view unchanged.
        public func lineSpacing(_ spacing: CGFloat) -> some View { self }
        /// Returns the view unchanged.
        public func lineLimit(_ number: Int, reservesSpace: Bool) -> some View { self }
        /// Returns the view unchanged.
        public func kerning(_ kerning: CGFloat) -> some View { self }
        /// Returns the view unchanged.
        public func tracking(_ tracking: CGFloat) -> some View { self }
        /// Returns the view unchanged.
        public func underline(_ isActive: Bool = true) -> some View { self }
        /// Returns the view unchanged.
        public func strikethrough(_ isActive: Bool = true) -> some View { self }
        /// Returns the view unchanged.
        public func textCase(_ textCase: Text.Case?) -> some View { self }
        /// Returns the view unchanged.
        public func fontDesign(_ design: Font.Design?) -> some View { self }
        /// Returns the view unchanged.
        public func foregroundStyle(_ first: some ShapeStyle, _ second: some ShapeStyle) -> some View { self }
        /// Returns the view unchanged.
        public func symbolRenderingMode(_ mode: SymbolRenderingMode?) -> some View { self }
        /// Returns the view unchanged.
        public func clipped(antialiased: Bool = false) -> some View { self }
        /// Returns the view unchanged.
        public func blur(radius: CGFloat, opaque: Bool = false) -> some View { self }
        /// Returns the view unchanged.
        public func brightness(_ amount: Double) -> some View { self }
        /// Returns the view unchanged.
        public func shadow(color: Color = .black, radius: CGFloat, x: CGFloat = 0, y: CGFloat = 0) -> some View { self }
        /// Returns the view unchanged.
        public func offset(_ offset: CGSize) -> some View { self }
        /// Returns the view unchanged.
        public func position(x: CGFloat = 0, y: CGFloat = 0) -> some View { self }
        /// Returns the view unchanged.
        public func position(_ position: CGPoint) -> some View { self }
        /// Returns the view unchanged.
        public func padding(_ insets: EdgeInsets) -> some View { self }
        /// Returns the view unchanged.
        public func scaleEffect(x: CGFloat = 1, y: CGFloat = 1, anchor: UnitPoint = .center) -> some View { self }
        /// Returns the view unchanged.
        public func scaleEffect(_ scale: CGFloat, anchor: UnitPoint) -> some View { self }
        /// Returns the view unchanged.
        public func fixedSize() -> some View { self }
        /// Returns the view unchanged.
        public func fixedSize(horizontal: Bool, vertical: Bool) -> some View { self }
        /// Returns the view unchanged.
        public func layoutPriority(_ value: Double) -> some View { self }
        /// Returns the view unchanged.
        public func zIndex(_ value: Double) -> some View { self }
        /// Returns the view unchanged.
        public func edgesIgnoringSafeArea(_ edges: Edge.Set) -> some View { self }
        /// Returns the view unchanged.
        public func ignoresSafeArea(_ regions: SafeAreaRegions, edges: Edge.Set = .all) -> some View { self }
        /// Returns the view unchanged.
        public func ignoresSafeArea(edges: Edge.Set) -> some View { self }
        /// Returns the view unchanged.
        public func preferredColorScheme(_ colorScheme: ColorScheme?) -> some View { self }
        /// Returns the view unchanged.
        public func labelsHidden() -> some View { self }
        /// Returns the view unchanged.
        public func pickerStyle(_ style: PickerStyleName) -> some View { self }
        /// Returns the view unchanged.
        public func datePickerStyle(_ style: PickerStyleName) -> some View { self }
        /// Returns the view unchanged.
        public func toggleStyle(_ style: ControlStyleName) -> some View { self }
        /// Returns the view unchanged.
        public func textFieldStyle(_ style: ControlStyleName) -> some View { self }
        /// Returns the view unchanged.
        public func labelStyle(_ style: ControlStyleName) -> some View { self }
        /// Returns the view unchanged.
        public func progressViewStyle(_ style: ControlStyleName) -> some View { self }
        /// Returns the view unchanged.
        public func navigationViewStyle(_ style: ControlStyleName) -> some View { self }
        /// Returns the view unchanged.
        public func buttonStyle(_ style: some ButtonStyle) -> some View { self }
        /// Returns the view unchanged.
        public func buttonBorderShape(_ shape: ButtonBorderShape) -> some View { self }
        /// Returns the view unchanged.
        public func listRowSeparator(_ visibility: Visibility) -> some View { self }
        /// Returns the view unchanged.
        public func listRowBackground(_ view: (some View)?) -> some View { self }
        /// Returns the view unchanged.
        public func listRowInsets(_ insets: EdgeInsets?) -> some View { self }
        /// Returns the view unchanged.
        public func listRowSpacing(_ spacing: CGFloat?) -> some View { self }
        /// Returns the view unchanged.
        public func scrollContentBackground(_ visibility: Visibility) -> some View { self }
        /// Returns the view unchanged.
        public func scrollIndicators(_ visibility: Visibility) -> some View { self }
        /// Returns the view unchanged.
        public func scrollDisabled(_ disabled: Bool) -> some View { self }
        /// Returns the view unchanged.
        public func scrollDismissesKeyboard(_ mode: ScrollDismissesKeyboardMode) -> some View { self }
        /// Returns the view unchanged.
        public func gridColumnAlignment(_ guide: HorizontalAlignment) -> some View { self }
        /// Returns the view unchanged.
        public func gridCellColumns(_ count: Int) -> some View { self }
        /// Returns the view unchanged.
        public func contentTransition(_ transition: ContentTransition) -> some View { self }
        /// Returns the view unchanged.
        public func transition(_ transition: AnyTransition) -> some View { self }
        /// Returns the view unchanged.
        public func animation(_ animation: Animation?) -> some View { self }
        /// Returns the view unchanged.
        public func matchedGeometryEffect<ID: Hashable>(id: ID, in namespace: Namespace.ID) -> some View { self }
        /// Returns the view unchanged.
        public func navigationBarTitle(_ title: LocalizedStringKey) -> some View { self }
        /// Returns the view unchanged.
        public func navigationBarTitle(
            _ title: LocalizedStringKey, displayMode: NavigationBarItem.TitleDisplayMode
        ) -> some View { self }
        /// Returns the view unchanged.
        public func navigationBarTitleDisplayMode(_ displayMode: NavigationBarItem.TitleDisplayMode) -> some View {
            self
        }
        /// Returns the view unchanged.
        public func navigationBarHidden(_ hidden: Bool) -> some View { self }
        /// Returns the view unchanged.
        public func navigationBarBackButtonHidden(_ hidesBackButton: Bool = true) -> some View { self }
        /// Returns the view unchanged.
        public func toolbarBackground(_ visibility: Visibility, for bars: ToolbarPlacement...) -> some View { self }
        /// Returns the view unchanged.
        public func toolbar(_ visibility: Visibility, for bars: ToolbarPlacement...) -> some View { self }
        /// Returns the view unchanged.
        public func statusBarHidden(_ hidden: Bool = true) -> some View { self }
        /// Returns the view unchanged.
        public func statusBar(hidden: Bool) -> some View { self }
        /// Returns the view unchanged.
        public func presentationDetents(_ detents: Set<PresentationDetent>) -> some View { self }
        /// Returns the view unchanged.
        public func presentationDragIndicator(_ visibility: Visibility) -> some View { self }
        /// Returns the view unchanged.
        public func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View { self }
        /// Returns the view unchanged.
        public func keyboardType(_ type: UIKeyboardType) -> some View { self }
        /// Returns the view unchanged.
        public func autocapitalization(_ style: UITextAutocapitalizationType) -> some View { self }
        /// Returns the view unchanged.
        public func textInputAutocapitalization(_ autocapitalization: TextInputAutocapitalization?) -> some View {
            self
        }
        /// Returns the view unchanged.
        public func autocorrectionDisabled(_ disable: Bool = true) -> some View { self }
        /// Returns the view unchanged.
        public func disableAutocorrection(_ disable: Bool?) -> some View { self }
        /// Returns the view unchanged.
        public func submitLabel(_ submitLabel: SubmitLabel) -> some View { self }
        /// Returns the view unchanged.
        public func focused(_ condition: FocusState<Bool>.Binding) -> some View { self }
        /// Returns the view unchanged.
        public func focused<Value: FocusValue>(_ binding: FocusState<Value>.Binding, equals value: Value) -> some View {
            self
        }
        /// Returns the view unchanged.
        public func allowsHitTesting(_ enabled: Bool) -> some View { self }
        /// Returns the view unchanged.
        public func accessibilityLabel(_ label: Text) -> some View { self }
        /// Returns the view unchanged.
        @_disfavoredOverload
        public func accessibilityLabel(_ label: some StringProtocol) -> some View { self }
        /// Returns the view unchanged.
        public func accessibilityHint(_ hint: LocalizedStringKey) -> some View { self }
        /// Returns the view unchanged.
        public func accessibilityValue(_ value: LocalizedStringKey) -> some View { self }
        /// Returns the view unchanged.
        public func accessibilityHidden(_ hidden: Bool) -> some View { self }
        /// Returns the view unchanged.
        public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View { self }
        /// Returns the view unchanged.
        public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { self }
        /// Returns the view unchanged.
        public func accessibilityRemoveTraits(_ traits: AccessibilityTraits) -> some View { self }
        /// Returns the view unchanged.
        public func accessibility(label: Text) -> some View { self }
        /// Returns the view unchanged.
        public func badge(_ count: Int) -> some View { self }
        /// Returns the view unchanged.
        public func redacted(reason: RedactionReasons) -> some View { self }

        // Actions of the user that no test performs.
        /// Returns the view unchanged; the action is never called, because no text is entered here.
        public func onSubmit(_ action: @escaping () -> Void) -> some View { self }
        /// Returns the view unchanged; the action is never called, because nothing is pressed for long here.
        public func onLongPressGesture(minimumDuration: Double = 0.5, perform action: @escaping () -> Void) -> some View
        { self }
        /// Returns the view unchanged; the action is never called, because nothing is pulled here.
        public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }
        /// Returns the view unchanged, because no text is entered here.
        public func searchable(text: Binding<String>, prompt: LocalizedStringKey? = nil) -> some View { self }
        /// Returns the view unchanged; the action is never called, because no URL is opened here.
        public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { self }
        /// Returns the view unchanged; the action is never called, because no activity is handed over here.
        public func onContinueUserActivity(
            _ activityType: String, perform action: @escaping (NSUserActivity) -> Void
        ) -> some View { self }
        /// Returns the view unchanged; the action is never called, because there is no pointer here.
        public func onHover(perform action: @escaping (Bool) -> Void) -> some View { self }
        /// Returns the view unchanged; the gesture is never recognized, because only taps are recognized here.
        public func gesture(_ gesture: some Gesture) -> some View { self }
        /// Returns the view unchanged; the gesture is never recognized, because only taps are recognized here.
        public func simultaneousGesture(_ gesture: some Gesture) -> some View { self }
        /// Returns the view unchanged; the gesture is never recognized, because only taps are recognized here.
        public func highPriorityGesture(_ gesture: some Gesture) -> some View { self }
    }
#endif
