import ApusClient
import Foundation
import Subprocess
import Testing

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

@Suite("Completion in shells", .timeLimit(.minutes(10)))
struct CompletionTests {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    /// Requests completions of the line's last word, as the script of zsh does.
    private func complete(_ apus: ApusUnderTest, _ line: String) async throws -> [String] {
        let answer = try await apus("---complete", "zsh", line)
        #expect(answer.code == 0 && answer.err.isEmpty, "\(answer)")
        return answer.out.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    }

    @Test("completion offers names and identifiers with the typed prefix, of ended jobs only if no other job has them")
    func jobs() async throws {
        try await ApusUnderTest.with { apus in
            let tea: WireJob = try await apus.json("after", "1h", "--name", "Tea", "--json", "--", "true")
            let other: WireJob = try await apus.json("after", "1h", "--name", "Other", "--json", "--", "true")
            #expect(try await complete(apus, "apus show T") == ["words", "Tea"])
            #expect(try await complete(apus, "apus show \(tea.id)") == ["words", tea.id])
            #expect(Set(try await complete(apus, "apus show ")) == ["words", "Tea", "Other", tea.id, other.id])
            _ = try await apus("cancel", "Tea")
            #expect(try await complete(apus, "apus history --job T") == ["words", "Tea"], "nothing else begins so")
            #expect(Set(try await complete(apus, "apus show ")) == ["words", "Other", other.id])
        }
    }

    @Test("completion without a daemon offers no job and starts no daemon")
    func noDaemon() async throws {
        try await ApusUnderTest.with { apus in
            let offered = try await complete(apus, "apus show ")
            #expect(offered == ["words"])
            #expect(try await apus("status").code == 3)
        }
    }

    @Test(
        "completion offers subcommands, options, their values, files and folders",
        arguments: [
            ("apus coun", ["words", "countdown"]), ("/usr/bin/apus queue li", ["words", "list", "limit"]),
            ("apus help queue pau", ["words", "pause"]), ("apus list --j", ["words", "--json"]),
            ("apus list --json --j", ["words"]), ("apus list --state susp", ["words", "suspended"]),
            ("apus every 1h --gap=s", ["words", "--gap=skip"]), ("apus 'export' --lab", ["words", "--label"]),
            ("apus export --label a=1 --lab", ["words", "--label"]), ("apus after 1h --cwd ", ["folders"]),
            ("apus import crontab ", ["files"]), ("apus after 1h -- l", ["files"]), ("apus import /tm", ["files"]),
            ("A=1 apus completions f", ["words", "fish"]), ("apus nonsense ", ["words", "--version", "-h", "--help"]),
            ("apus every wee", ["words", "weekly", "week", "weeks", "weekday", "weekdays", "weekend", "weekends"]),
            ("apus every weekday at no", ["words", "noon"]), ("apus every 2 we", ["words", "week", "weeks"]),
            ("apus at tomo", ["words", "tomorrow"]), ("apus at noon to", ["words", "today", "tomorrow"]),
            ("apus preview jeden Wer", ["words"]),
            ("apus preview jeden wer", ["words", "werktag", "werktagen", "werktags"]),
        ])
    func syntax(_ line: String, _ expected: [String]) async throws {
        try await ApusUnderTest.with { apus in
            let offered = try await complete(apus, line)
            #expect(offered == expected)
        }
    }

    /// The text that is typed before Tab, and the name that completes it.
    private static let names: [(typed: String, name: String)] = [
        ("A", "A$(touch pwn)"), ("B", "B`touch pwn`"), ("C", #"C it's "quoted""#), ("D", "D two  words"),
        ("E", "E: command; touch pwn"), (#"F\ "#, "F x: it's y"), ("G", "Gäöü ß ☕"), ("H", #"H*?[x]{a,b}~#&|<>(y)\z"#),
        ("'I", "I $(touch pwn) it's"), ("\"J", #"J `touch pwn` $(touch pwn) "x" \"#), ("K", "K=${x@P}"),
        ("L:a", "L:a:b $HOME"), ("M", "M!touch"), ("'N:", "N: x"), (#"O\:"#, "O:x y"),
    ]

    @Test(
        "completion inserts a name literally, and executes no part of it", .timeLimit(.minutes(3)),
        arguments: Shell.allCases)
    func data(_ shell: Shell) async throws {
        try await ApusUnderTest.with { apus in
            for (_, name) in Self.names {
                #expect(try await apus("after", "1h", "--name", name, "--", "true").code == 0, "\(name)")
            }
            let folder = apus.home.path
            let bin = URL(filePath: ApusUnderTest.program).deletingLastPathComponent().path
            let program: [String]
            switch shell {
            case .bash:
                try """
                cd \(folder); PATH='\(bin)':$PATH; source <(apus completions bash); complete -o nosort -F _apus record
                record() { printf '%s\\n' "$2" >>recorded; echo "recorded.$((++count))."; }
                """.write(toFile: folder + "/.bashrc", atomically: false, encoding: .utf8)
                program = ["bash", "--noprofile", "--rcfile", folder + "/.bashrc", "-i"]
            case .zsh:
                try """
                cd \(folder); PATH='\(bin)':$PATH; autoload -Uz compinit; compinit -D -u; source <(apus completions zsh)
                compdef _apus record
                record() { print -rl -- "$2" >>recorded; echo "recorded.$((++count))." }
                """.write(toFile: folder + "/.zshrc", atomically: false, encoding: .utf8)
                program = ["zsh", "-i"]
            case .fish:
                // `complete --escape` prints the text that Tab would insert, quoted as fish inserts it.
                try """
                cd \(folder); set PATH '\(bin)' $PATH; apus completions fish | source
                complete -c record -f -a '(__apus_complete)'
                function record; printf '%s\\n' $argv[2] >>recorded; end
                while read line
                    eval record show (complete --escape -C "record show $line" | string split -f 1 \\t)
                end
                """.write(toFile: folder + "/script.fish", atomically: false, encoding: .utf8)
                program = ["fish", "--no-config", folder + "/script.fish"]
            }
            let settings = ["LC_ALL=C.UTF-8", "HOME=\(folder)", "ZDOTDIR=\(folder)", "HISTFILE="]
            // fish escapes whole words itself, so names that are typed with an open quote are not tested there.
            let names = shell == .fish ? Self.names.filter { !$0.typed.contains { "'\"".contains($0) } } : Self.names
            if shell == .fish {
                let lines = names.map { $0.typed + "\n" }.joined()
                try lines.write(toFile: folder + "/lines", atomically: false, encoding: .utf8)
                let input = try FileDescriptor.open(FilePath(folder + "/lines"), .readOnly)
                let result = try await Subprocess.run(
                    .name("env"), arguments: Arguments(settings + program), environment: apus.subprocessEnvironment,
                    input: .fileDescriptor(input, closeAfterSpawningProcess: true), output: .discarded,
                    error: .string(limit: 65_536))
                #expect(result.standardError == "")
            } else {
                _ = try await apus.atTerminal(settings + program, program: "/usr/bin/env", columns: 200) { terminal in
                    for (index, (typed, _)) in names.enumerated() {
                        terminal.type("record show \(typed)\t\n")
                        await terminal.wait(for: "recorded.\(index + 1).")
                    }
                    terminal.type("exit\n")
                }
            }
            let recorded = try String(contentsOfFile: folder + "/recorded", encoding: .utf8).split(separator: "\n")
            #expect(recorded.map(String.init) == names.map(\.name))
            #expect(!FileManager.default.fileExists(atPath: folder + "/pwn"), "a name was run")
        }
    }
}
