import Testing

/// Rules about files as such.
enum Housekeeping {
    // Put together here, so that this file does not contain what it looks for.
    private static let homes = ["/" + "home/", "/" + "Users/", "/" + "root/", "/" + "work/", "/" + "tmp/w/"]

    /// The first path of a developer's machine in a text.
    static func machinePath(in text: String) -> String? {
        for home in homes {
            for range in text.places(of: home) {
                let before = range.lowerBound > text.startIndex ? text[text.index(before: range.lowerBound)] : " "
                let name = text[range.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" }
                // A path begins at the root, and what follows has a name; one after a variable or a name does not.
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
