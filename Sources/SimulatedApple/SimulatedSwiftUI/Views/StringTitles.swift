#if SimulatedApple
    // The forms of controls and dialogs whose title is a string at run time; such a title is not translated.

    extension NavigationLink where Title == Text {
        /// Creates a link with a title.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, @ViewBuilder destination: @escaping () -> Destination) {
            self.init(destination: destination) { Text(title) }
        }

        /// Creates a link with a title.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, destination: Destination) {
            self.init(destination: destination) { Text(title) }
        }
    }

    extension Link where Title == Text {
        /// Creates a link with a title.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, destination: URL) {
            self.init(destination: destination) { Text(title) }
        }
    }

    extension Menu where Title == Text {
        /// Creates a menu with a title.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {
            self.init(content: content) { Text(title) }
        }
    }

    extension TextField where Title == Text {
        /// Creates a text field with a title.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, text: Binding<String>) { self.init(label: Text(title), text: text) }
    }

    extension SecureField where Title == Text {
        /// Creates a field with a title.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, text: Binding<String>) { self.init(body: Text(title)) }
    }

    extension Button where Title == Label<Text, Image> {
        /// Creates a button with a title and a symbol.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, systemImage: String, action: @escaping @MainActor () -> Void) {
            self.init(action: action) { Label(title, systemImage: systemImage) }
        }
    }

    extension ProgressView where Title == Text {
        /// Creates the view of an operation of unknown length.
        @_disfavoredOverload
        public init(_ title: some StringProtocol) { self.init(title: title, done: "") }

        /// Creates the view of an operation with a completed part of a total.
        @_disfavoredOverload
        public init<V: BinaryFloatingPoint>(_ title: some StringProtocol, value: V?, total: V = 1) {
            self.init(title: title, done: Self.percent(value, of: total))
        }
    }

    extension LabeledContent where Title == Text {
        /// Creates a title and a value.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {
            self.init(content: content) { Text(title) }
        }
    }

    extension LabeledContent where Title == Text, Content == Text {
        /// Creates a title and a text.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, value: some StringProtocol) {
            self.init(content: { Text(value) }, label: { Text(title) })
        }
    }

    extension GroupBox where Title == Text {
        /// Creates a box with a title.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {
            self.init(content: content) { Text(title) }
        }
    }

    extension DisclosureGroup where Title == Text {
        /// Creates a group with a title.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {
            self.init(content: content) { Text(title) }
        }
    }

    extension DatePicker where Title == Text {
        /// Creates a choice of a date with a title.
        @_disfavoredOverload
        public init(
            _ title: some StringProtocol, selection: Binding<Date>,
            displayedComponents: Components = [.date, .hourAndMinute]
        ) { self.init(selection: selection, displayedComponents: displayedComponents) { Text(title) } }

        /// Creates a choice of a date in a range with a title.
        @_disfavoredOverload
        public init(
            _ title: some StringProtocol, selection: Binding<Date>, in range: PartialRangeFrom<Date>,
            displayedComponents: Components = [.date, .hourAndMinute]
        ) { self.init(selection: selection, displayedComponents: displayedComponents) { Text(title) } }

        /// Creates a choice of a date in a range with a title.
        @_disfavoredOverload
        public init(
            _ title: some StringProtocol, selection: Binding<Date>, in range: PartialRangeThrough<Date>,
            displayedComponents: Components = [.date, .hourAndMinute]
        ) { self.init(selection: selection, displayedComponents: displayedComponents) { Text(title) } }

        /// Creates a choice of a date in a range with a title.
        @_disfavoredOverload
        public init(
            _ title: some StringProtocol, selection: Binding<Date>, in range: ClosedRange<Date>,
            displayedComponents: Components = [.date, .hourAndMinute]
        ) { self.init(selection: selection, displayedComponents: displayedComponents) { Text(title) } }
    }

    extension View {
        /// Presents a list of actions while a value is true; choosing an action dismisses the list.
        @_disfavoredOverload
        public func confirmationDialog<Actions: View>(
            _ title: some StringProtocol, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
            @ViewBuilder actions: @escaping () -> Actions
        ) -> some View {
            confirmationDialog(
                Text(title), isPresented: isPresented, titleVisibility: titleVisibility, actions: actions
            ) { EmptyView() }
        }

        /// Presents a list of actions with a message while a value is true; choosing any action dismisses the list.
        @_disfavoredOverload
        public func confirmationDialog<Actions: View, Message: View>(
            _ title: some StringProtocol, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
            @ViewBuilder actions: @escaping () -> Actions, @ViewBuilder message: @escaping () -> Message
        ) -> some View {
            confirmationDialog(
                Text(title), isPresented: isPresented, titleVisibility: titleVisibility, actions: actions,
                message: message)
        }
    }
#endif
