import ApusClient
import ApusCommand
import ArgumentParser
import Foundation

/// A request from a completion script or from `Scripts/install`, not from a user.
///
/// The three dashes distinguish its name from all options and subcommands.
enum ToolRequest {
    /// `---complete SHELL LINE [PIECE]`, from the scripts of `apus completions`.
    case complete(line: String, piece: String?)
    /// `---manual FOLDER DATE`, from `Scripts/install`.
    case manual(folder: String, date: String)

    init?(_ arguments: [String]) {
        switch (arguments.dropFirst().first, arguments.count) {
        case ("---complete", 4...5):
            self = .complete(line: arguments[3], piece: arguments.count == 5 ? arguments[4] : nil)
        case ("---manual", 4): self = .manual(folder: arguments[2], date: arguments[3])
        default: return nil
        }
    }

    func answer() async {
        do {
            let root = try CommandHelp.ofApus()
            switch self {
            case .complete(let line, let piece):
                let answer = await Completion(root: root).answer(line: line, piece: piece)
                Terminal.out(TerminalText(raw: answer), terminator: "")
            case .manual(let folder, let date):
                for page in ManualPage.all(of: root, date: date) {
                    try page.text.write(toFile: "\(folder)/\(page.name).1", atomically: false, encoding: .utf8)
                }
            }
        } catch {
            Apus.exit(withError: error)
        }
    }
}
