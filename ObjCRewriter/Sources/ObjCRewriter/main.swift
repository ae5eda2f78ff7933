import Foundation
import ObjCRewriting

// The tool of the plugin RewriteObjC: writes a rewritten copy of a Swift file.

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    FileHandle.standardError.write(Data("usage: ObjCRewriter INPUT OUTPUT\n".utf8))
    exit(64)
}
do {
    let source = try String(contentsOf: URL(filePath: arguments[1]), encoding: .utf8)
    // A `#sourceLocation` that names the original would rename the file for the compiler, which accepts code at the top
    // level only in a file with the name `main.swift`. The copy of such a file therefore does not name its original.
    let original = arguments[2].hasSuffix("/main.swift") ? nil : arguments[1]
    try ObjCRewriting.rewritten(source, original: original)
        .write(to: URL(filePath: arguments[2]), atomically: true, encoding: .utf8)
} catch {
    FileHandle.standardError.write(Data("\(arguments[1]):1:1: error: the file cannot be rewritten: \(error)\n".utf8))
    exit(1)
}
