import Synchronization

/// One timer. 32 bytes, so that a record never lies on two cache lines; its payload is kept beside it.
struct TimerRecord: ~Copyable {
    /// The soft deadline: the timer never fires before.
    var deadline: UInt64 = 0
    private var toleranceLow: UInt32 = 0
    /// The next record of the same list.
    var next: UInt32 = .none
    var previous: UInt32 = .none
    /// The generation of the present life, or of the next one while the record is free (24 bits); then how often that
    /// life was taken, and reset after it had been taken (8 bits): odd while it is taken. So neither a stale handle nor
    /// what was taken before a reset finds anything. 0: retired.
    ///
    /// Its change ends a life, and is the only thing that happens to a record without the owner's lock.
    let life: Atomic<UInt32>
    private var toleranceHigh: UInt16 = 0
    var place = Place.free
    var tag: UInt8 = 0

    init(generation: UInt32) { life = Atomic(generation << Self.takingBits) }

    /// How many bits count takings.
    static var takingBits: UInt32 { 8 }
    /// The bits that count takings.
    static var takings: UInt32 { 1 << takingBits - 1 }

    /// What comes after a life.
    @inline(__always)
    static func life(after life: UInt32) -> UInt32 { ((life >> takingBits) &+ 1) << takingBits }

    /// Which list a record is in: the number of a slot, or one of the constants.
    struct Place: RawRepresentable, Equatable {
        var rawValue: UInt16
        static var free: Place { Place(rawValue: .max) }
        /// Handed out by `takeDue`, in no list, still cancellable.
        static var taken: Place { Place(rawValue: .max - 1) }
        /// Every generation was used; the record never lives again.
        static var retired: Place { Place(rawValue: .max - 2) }

        var isList: Bool { rawValue <= TimerWheel.moving }
    }

    /// 48 bits: three days, to the nanosecond.
    static var longestTolerance: UInt64 { 1 << 48 - 1 }

    var tolerance: UInt64 {
        get { UInt64(toleranceHigh) << 32 | UInt64(toleranceLow) }
        set {
            toleranceLow = UInt32(truncatingIfNeeded: newValue)
            toleranceHigh = UInt16(truncatingIfNeeded: newValue >> 32)
        }
    }

    /// Deadline plus tolerance, saturated.
    var hardDeadline: UInt64 { deadline.addingSaturating(tolerance) }
}

extension UInt32 {
    /// Marks the end of an intrusive list.
    static var none: UInt32 { .max }
}
