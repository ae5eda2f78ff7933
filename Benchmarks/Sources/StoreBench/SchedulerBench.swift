extension StoreBench {
    static func measureScheduler(_ directory: String, raw: Double, _ figures: inout [Figure]) async throws {}
}
