/// An image, which is neither read nor drawn here; only the bytes of a file are kept.
///
/// It can be used on any thread.
open class UIImage: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: nothing changes after `init`.

    /// The way in which an image is colored.
    public enum RenderingMode: Int, Sendable {
        /// The image has the colors that its place in the interface requires, its own colors, or a single color.
        case automatic, alwaysOriginal, alwaysTemplate
    }

    /// The size and weight of a symbol, without effect.
    open class Configuration: NSObject {}
    /// The size and weight of a symbol, without effect.
    open class SymbolConfiguration: Configuration {
        /// Creates a configuration, without effect.
        public init(pointSize: CGFloat = 17, weight: UIImage.SymbolWeight = .regular) { super.init() }
    }
    /// The weight of a symbol.
    public enum SymbolWeight: Int, Sendable {
        /// A weight, without effect.
        case unspecified, ultraLight, thin, light, regular, medium, semibold, bold, heavy, black
    }

    private let bytes: Data?

    /// Creates an image without content.
    override public init() { (bytes, size) = (nil, .zero) }
    /// Creates the app's image with a name, without checking that there is such an image.
    public convenience init?(named name: String) { self.init() }
    /// Creates the app's image with a name, without checking that there is such an image.
    public convenience init?(named name: String, in bundle: Bundle?, compatibleWith traits: UITraitCollection?) {
        self.init()
    }
    /// Creates the system's symbol with a name, without checking that there is such a symbol.
    public convenience init?(systemName name: String) { self.init() }
    /// Creates the system's symbol with a name, without checking that there is such a symbol.
    public convenience init?(systemName name: String, withConfiguration configuration: Configuration?) { self.init() }
    /// Creates an image from a file's bytes, which are kept but not decoded.
    public init?(data: Data) { (bytes, size) = (data, .zero) }
    /// Creates an image from the bytes of a file, which are kept but not decoded; `nil` if the file cannot be read.
    public init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        (bytes, size) = (data, .zero)
    }

    /// The size in points: zero, because images are not read.
    public let size: CGSize
    /// The number of pixels per point.
    open var scale: CGFloat { 1 }
    /// Returns the image unchanged.
    open func withRenderingMode(_ renderingMode: RenderingMode) -> UIImage { self }
    /// Returns the image unchanged.
    open func withTintColor(_ color: UIColor) -> UIImage { self }
    /// Returns the image unchanged.
    open func withTintColor(_ color: UIColor, renderingMode: RenderingMode) -> UIImage { self }
    /// Returns the image unchanged.
    open func withConfiguration(_ configuration: Configuration) -> UIImage { self }
    /// Returns the bytes from which the image was created; `nil` for an image of the app or the system.
    open func pngData() -> Data? { bytes }
    /// Returns the bytes from which the image was created; `nil` for an image of the app or the system.
    open func jpegData(compressionQuality: CGFloat) -> Data? { bytes }
}

/// A view that shows an image.
@preconcurrency @MainActor
open class UIImageView: UIView {
    /// The image.
    open var image: UIImage?
    /// The image while the view is highlighted.
    open var highlightedImage: UIImage?
    /// Whether the view is highlighted; the property has no effect here.
    open var isHighlighted = false

    /// Creates a view with an image.
    public convenience init(image: UIImage?) {
        self.init(frame: .zero)
        self.image = image
    }
}

/// A turning wheel.
@preconcurrency @MainActor
open class UIActivityIndicatorView: UIView {
    /// The size of the wheel.
    public enum Style: Int, Sendable {
        /// A size, without effect.
        case medium = 100
        /// A size, without effect.
        case large
    }
    /// Whether the wheel turns.
    open private(set) var isAnimating = false
    /// Whether the view is hidden while the wheel does not turn.
    open var hidesWhenStopped = true
    /// The color.
    open var color: UIColor?
    /// The size, which has no effect here.
    open var style = Style.medium

    /// Creates a wheel that does not turn.
    public convenience init(style: Style) {
        self.init(frame: .zero)
        self.style = style
    }

    /// Turns the wheel.
    open func startAnimating() {
        isAnimating = true
        isHidden = false
    }

    /// Stops the wheel.
    open func stopAnimating() {
        isAnimating = false
        isHidden = hidesWhenStopped
    }
}

/// A text of several lines, which the user does not edit here.
@preconcurrency @MainActor
open class UITextView: UIView {
    // The type is Apple's.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The text.
    open var text: String! = ""
    /// The font.
    open var font: UIFont?
    /// The color.
    open var textColor: UIColor?
    /// The alignment, which has no effect here.
    open var textAlignment = NSTextAlignment.natural
    /// Whether the user can edit the text.
    open var isEditable = true
    /// Whether the user can select the text.
    open var isSelectable = true
    /// Whether the text scrolls; the property has no effect here.
    open var isScrollEnabled = true
    /// The delegate, which is never called, because no text is entered here.
    open weak var delegate: (any UITextViewDelegate)?
    /// Does nothing.
    open func scrollRangeToVisible(_ range: NSRange) {}
}

/// The receiver of the events of a text view; its methods are optional.
@preconcurrency @MainActor
public protocol UITextViewDelegate: NSObjectProtocol {
    /// Called when the user has changed the text; never called here.
    func textViewDidChange(_ textView: UITextView)
    /// Called when the user begins to edit; never called here.
    func textViewDidBeginEditing(_ textView: UITextView)
    /// Called when the user ends editing; never called here.
    func textViewDidEndEditing(_ textView: UITextView)
}

extension UITextViewDelegate {
    /// Does nothing.
    public func textViewDidChange(_ textView: UITextView) {}
    /// Does nothing.
    public func textViewDidBeginEditing(_ textView: UITextView) {}
    /// Does nothing.
    public func textViewDidEndEditing(_ textView: UITextView) {}
}

/// The receiver of the events of a text field; its methods are optional.
@preconcurrency @MainActor
public protocol UITextFieldDelegate: NSObjectProtocol {
    /// Called when the user presses the return key; never called here.
    func textFieldShouldReturn(_ textField: UITextField) -> Bool
    /// Called when the user begins to edit; never called here.
    func textFieldDidBeginEditing(_ textField: UITextField)
    /// Called when the user ends editing; never called here.
    func textFieldDidEndEditing(_ textField: UITextField)
    /// Called before the text changes; never called here.
    func textField(
        _ textField: UITextField, shouldChangeCharactersIn range: NSRange, replacementString string: String
    ) -> Bool
}

extension UITextFieldDelegate {
    /// Returns `true`.
    public func textFieldShouldReturn(_ textField: UITextField) -> Bool { true }
    /// Does nothing.
    public func textFieldDidBeginEditing(_ textField: UITextField) {}
    /// Does nothing.
    public func textFieldDidEndEditing(_ textField: UITextField) {}
    /// Returns `true`.
    public func textField(
        _ textField: UITextField, shouldChangeCharactersIn range: NSRange, replacementString string: String
    ) -> Bool { true }
}
