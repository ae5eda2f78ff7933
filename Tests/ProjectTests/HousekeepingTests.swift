import Testing

/// Rules for the contents of all files.
enum Housekeeping {
    // The paths are put together here, so that this file does not contain the texts for which it searches.
    private static let homes = ["/" + "home/", "/" + "Users/", "/" + "root/", "/" + "work/", "/" + "tmp/w/"]

    /// Returns the first path in a text that is on a developer's machine; `nil` if there is none.
    static func machinePath(in text: String) -> String? {
        for home in homes {
            for range in text.places(of: home) {
                let before = range.lowerBound > text.startIndex ? text[text.index(before: range.lowerBound)] : " "
                let name = text[range.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" }
                // A path counts only if it begins at the root and a name follows. A path that follows a variable or a
                // name does not count.
                if !(before.isLetter || before.isNumber || "._-}$)".contains(before)), !name.isEmpty {
                    return home + name
                }
            }
        }
        return nil
    }
}

@Suite("Housekeeping")
struct HousekeepingTests {
    @Test("no file names a path of the machine that it was written on")
    func machinePaths() throws {
        let files = try ProjectFiles.texts()
        #expect(files.contains { $0.path == "Package.swift" })
        for file in files {
            let path = Housekeeping.machinePath(in: file.text)
            #expect(path == nil, "\(file.path) names \(path ?? "")")
        }
    }

    @Test("paths of machines are found, others are not")
    func machinePathSamples() {
        for (root, name) in [("home", "ann"), ("Users", "bob"), ("root", "x"), ("work", "apus")] {
            #expect(Housekeeping.machinePath(in: "see \"/\(root)/\(name)/notes\"") == "/\(root)/\(name)")
        }
        for text in [
            "/usr/bin/env", "a/home/b", "~/.local/state/apus", "$HOME/" + "work/x", "/tmp/apus", "the work/life",
        ] {
            #expect(Housekeeping.machinePath(in: text) == nil)
        }
    }
}
