import ApusClient
import PlatformC

/// The terminal while one program has the whole of it: the alternate screen, without a cursor, and keys that arrive one by
/// one without being shown. `restore()` undoes all of it.
final class FullScreen {
    private let former: termios?

    /// Enters the alternate screen, hides the cursor, and cuts long lines instead of wrapping them: the terminal may take
    /// a character for wider than it was counted.
    private static let enter: TerminalText = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    private static let leave: TerminalText = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    init() {
        var settings = termios()
        if tcgetattr(STDIN_FILENO, &settings) == 0 {
            former = settings
            // Without signals too: Ctrl-Z would leave the shell with this screen. Ctrl-C arrives as a key.
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        } else {
            former = nil
        }
        Terminal.out(Self.enter, terminator: "")
    }

    func restore() {
        Terminal.out(Self.leave, terminator: "")
        if var former { tcsetattr(STDIN_FILENO, TCSANOW, &former) }
    }

    /// Replaces what is shown. Each line is overwritten before the rest of it is erased, so that nothing flickers.
    func draw(_ lines: [TerminalText]) {
        let eraseRest: TerminalText = "\u{1B}[K"
        var picture: TerminalText = "\u{1B}[H"
        for (index, line) in lines.enumerated() {
            picture = picture + line + eraseRest
            if index < lines.count - 1 { picture = picture + "\r\n" }
        }
        Terminal.out(picture + "\u{1B}[J", terminator: "")
    }
}
