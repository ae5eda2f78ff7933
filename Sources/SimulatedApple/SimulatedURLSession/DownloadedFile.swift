import PlatformC

/// The file of a download, which exists only while the app is notified of it.
enum DownloadedFile {
    /// Calls `body` with the place of a file that has those bytes, or as many zeros.
    static func with(_ contents: [UInt8]?, size: Int64, _ body: (URL) -> Void) {
        let template = FileManager.default.temporaryDirectory.appendingPathComponent("CFNetworkDownload_XXXXXX.tmp")
        var path = Array(template.path.utf8CString)
        let file = mkstemps(&path, 4)
        guard file >= 0 else {
            preconditionFailure("no file can be made in \(template.deletingLastPathComponent().path)")
        }
        // A file of zeros takes no place on the disk, however long it is.
        if let contents {
            FileHandle(fileDescriptor: file, closeOnDealloc: false).write(Data(contents))
        } else {
            ftruncate(file, Int(size))
        }
        close(file)
        let location = URL(
            fileURLWithPath: path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" })
        body(location)
        try? FileManager.default.removeItem(at: location)
    }
}
