// The protection of an app's files by the lock of the simulated device.

#ifndef FILE_PROTECTION_H
#define FILE_PROTECTION_H

/// The state of the lock, which determines the files that can be opened.
///
/// It is a byte in a file of the device, which an app's process maps.
enum protection_lock {
    protection_lock_open = 0,
    protection_lock_locked = 1,
    protection_lock_before_first_unlock = 2,
};

/// The protection class of a file, which determines the states of the lock in which the file can be opened.
enum protection_class {
    protection_class_none = 0,
    protection_class_until_first_unlock = 1,
    /// A file may be made while the device is locked, but cannot be opened again before the device is unlocked.
    protection_class_unless_open = 2,
    protection_class_complete = 3,
};

/// In the process: from now on `open`, `openat` and `fopen` fail with EPERM for files below `folder` that the lock
/// closes.
///
/// `lock_file` contains the state of the lock, followed by the default class, which applies to files without a class of
/// their own. The classes of files are kept in `class_folder`. Returns 0 or an errno: ENOTSUP where time cannot be
/// virtual.
int file_protection_begin(const char *folder, const char *lock_file, const char *class_folder);

/// Returns 0 if a file of the class can be made now, EPERM if the lock closes it, and ENOTSUP before
/// `file_protection_begin`.
int file_protection_check(enum protection_class value);

/// Changes the protection class of one of the app's files.
///
/// Returns 0 or an errno: EPERM if the lock closes the file, or would close a new file of the class; ENOTSUP before
/// `file_protection_begin`.
int file_protection_set(const char *path, enum protection_class value);

#endif
