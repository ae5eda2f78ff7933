/// What a scheduler needs of a queue whose limits hold for all schedulers of a store.
public struct QueueUse: Hashable, Sendable {
    /// The queue.
    public var queue: QueueID
    /// How many of its runs are in progress here.
    public var running: Int
    /// How many would, these included, without other schedulers.
    public var wanted: Int
    /// What is needed.
    public init(queue: QueueID, running: Int, wanted: Int) {
        self.queue = queue
        self.running = running
        self.wanted = wanted
    }
}

/// What a scheduler may use of a queue whose limits hold for all schedulers of a store.
///
/// Of a queue with a rate only one scheduler at a time has places, and the others have their turns.
public struct QueuePlaces: Hashable, Sendable {
    /// The queue as it is kept.
    public var queue: JobQueue
    /// How many of its runs may be in progress here at once; `nil` if it has no limits.
    public var places: Int?
    /// The places in a queue.
    public init(queue: JobQueue, places: Int?) {
        self.queue = queue
        self.places = places
    }
}
