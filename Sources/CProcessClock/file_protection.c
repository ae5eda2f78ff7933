// Replaces the calls that open files, because the lock of the device may close files of a simulated app.
//
// A file is identified by its number and the time at which it was made, because numbers are reused. Each file with a
// protection class of its own has an entry in a folder beside the app's. The class therefore outlives the process, and
// stays with a file that is renamed.
#define _GNU_SOURCE
#include "file_protection.h"
#include "clock_internal.h"

#include <errno.h>

#ifndef CLOCK_IS_UNAVAILABLE
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#undef open
#undef open64
#undef openat
#undef openat64
#undef fopen
#undef fopen64

// Two bytes: the state of the lock, and the protection class of the files that have none of their own. NULL in a
// process that is not an app's.
static _Atomic(const volatile unsigned char *) lock_bytes;
// These are written before `lock_bytes` is set, and never after that.
static struct {
    char path[PATH_MAX];
    size_t length;
} folders[2];
static char class_folder[PATH_MAX];

static int class_entry(const struct statx *file, char *path) {
    int length = snprintf(
        path, PATH_MAX, "%s/%llx-%llx-%x", class_folder, (unsigned long long)file->stx_ino,
        (unsigned long long)file->stx_btime.tv_sec, file->stx_btime.tv_nsec);
    return length < PATH_MAX ? 0 : ENAMETOOLONG;
}

static int find_file(int folder, const char *path, struct statx *file) {
    return statx(folder, path, AT_STATX_SYNC_AS_STAT, STATX_TYPE | STATX_INO | STATX_BTIME, file) == 0 ? 0 : errno;
}

static unsigned char class_of(const struct statx *file, unsigned char otherwise) {
    char path[PATH_MAX];
    unsigned char value = otherwise;
    int entry = class_entry(file, path) == 0 ? open_at_once(path, O_RDONLY, 0) : -1;
    if (entry < 0) return otherwise;
    if (read_at_once(entry, &value, 1) != 1) value = otherwise;
    close_at_once(entry);
    return value;
}

static bool is_below_folder(const char *path) {
    for (int i = 0; i < 2; i++) {
        if (strncmp(path, folders[i].path, folders[i].length) == 0) return true;
    }
    return false;
}

// The numbers of the last files of user defaults that this process has opened for writing while the device was locked.
// The process can read these files again while the device is locked. On a phone, another process keeps the defaults: it
// writes what the app has set even if the app could not read the file, and answers the app from what it has written.
enum { written_count = 8 };
static atomic_ullong written[written_count];
static atomic_uint next_written;

static bool is_written_by_system(const char *path, int flags) {
    return (flags & O_CREAT) != 0 && strstr(path, "/.config/") != NULL;
}

static bool was_written(const struct statx *file) {
    for (int i = 0; i < written_count; i++) {
        if (atomic_load(&written[i]) == file->stx_ino) return true;
    }
    return false;
}

// Whether the lock closes files of the class; `is_new` is true for a file that is about to be made.
static bool lock_closes(unsigned char lock, unsigned char class, bool is_new) {
    switch (class) {
    case protection_class_none: return false;
    case protection_class_until_first_unlock: return lock == protection_lock_before_first_unlock;
    case protection_class_unless_open: return lock != protection_lock_open && !is_new;
    default: return lock != protection_lock_open;
    }
}

// Whether the lock closes the file. Only absolute paths are examined, because the current folder of an app's process is
// not one of the app's folders.
static bool is_closed(int folder, const char *path, int flags) {
    const volatile unsigned char *bytes = atomic_load_explicit(&lock_bytes, memory_order_acquire);
    if (!bytes || bytes[0] == protection_lock_open || !path || !is_below_folder(path)) return false;
    if (is_written_by_system(path, flags)) return false;
    int saved = errno;
    struct statx file;
    bool is_new = find_file(folder, path, &file) != 0;
    bool is_closed = false;
    // Folders can always be listed. A file that neither exists nor is made is left to the open call, which does not
    // find it.
    if (is_new ? (flags & O_CREAT) != 0 : S_ISREG(file.stx_mode) && !was_written(&file)) {
        is_closed = lock_closes(bytes[0], is_new ? bytes[1] : class_of(&file, bytes[1]), is_new);
    }
    errno = saved;
    return is_closed;
}

// Passes on the result of an open call, and notes a file of defaults that was written.
static int opened(int descriptor, const char *path, int flags) {
    const volatile unsigned char *bytes = atomic_load_explicit(&lock_bytes, memory_order_acquire);
    if (descriptor < 0 || !bytes || bytes[0] == protection_lock_open) return descriptor;
    if (!is_below_folder(path) || !is_written_by_system(path, flags)) return descriptor;
    struct statx file;
    if (statx(descriptor, "", AT_EMPTY_PATH, STATX_INO, &file) == 0 && !was_written(&file))
        atomic_store(&written[atomic_fetch_add(&next_written, 1) % written_count], file.stx_ino);
    return descriptor;
}

int file_protection_begin(const char *folder, const char *lock_file, const char *classes) {
    int file = open_at_once(lock_file, O_RDONLY, 0);
    if (file < 0) return errno;
    void *bytes = mmap(NULL, 2, PROT_READ, MAP_SHARED, file, 0);
    int error = bytes == MAP_FAILED ? errno : 0;
    close_at_once(file);
    if (error != 0) return error;
    if (!realpath(folder, folders[1].path)) return errno;
    if (snprintf(folders[0].path, PATH_MAX, "%s", folder) >= PATH_MAX
        || snprintf(class_folder, PATH_MAX, "%s", classes) >= PATH_MAX)
        return ENAMETOOLONG;
    // The path ends with the separator, so that it is not the beginning of another folder's name.
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(folders[i].path);
        if (length + 1 < PATH_MAX && folders[i].path[length - 1] != '/') strcat(folders[i].path, "/");
        folders[i].length = strlen(folders[i].path);
    }
    atomic_store_explicit(&lock_bytes, bytes, memory_order_release);
    return 0;
}

int file_protection_check(enum protection_class value) {
    const volatile unsigned char *bytes = atomic_load_explicit(&lock_bytes, memory_order_acquire);
    if (!bytes) return ENOTSUP;
    return lock_closes(bytes[0], (unsigned char)value, true) ? EPERM : 0;
}

int file_protection_set(const char *path, enum protection_class value) {
    const volatile unsigned char *bytes = atomic_load_explicit(&lock_bytes, memory_order_acquire);
    int refusal = file_protection_check(value);
    if (refusal != 0) return refusal;
    struct statx file;
    int error = find_file(AT_FDCWD, path, &file);
    // A phone keeps the file's own key encrypted with the key of the file's class. To encrypt the file's key with the
    // key of another class, it must read the file's key first, and it cannot do so while the lock closes the file.
    if (error == 0 && lock_closes(bytes[0], class_of(&file, bytes[1]), false)) return EPERM;
    char entry[PATH_MAX];
    if (error == 0) error = class_entry(&file, entry);
    if (error != 0) return error;
    int descriptor = open_at_once(entry, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (descriptor < 0) return errno;
    unsigned char byte = (unsigned char)value;
    error = libc()->syscall(SYS_write, descriptor, &byte, 1) == 1 ? 0 : EIO;
    close_at_once(descriptor);
    return error;
}

// MARK: The functions that programs and libraries call

// The mode is an argument only of a call that may make a file.
#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) { \
        va_list arguments; \
        va_start(arguments, flags); \
        mode = va_arg(arguments, mode_t); \
        va_end(arguments); \
    }

#define REFUSE_IF_CLOSED(folder, path, flags, failure) \
    if (is_closed(folder, path, flags)) { \
        errno = EPERM; \
        return failure; \
    }

int open(const char *path, int flags, ...) {
    MODE(flags)
    REFUSE_IF_CLOSED(AT_FDCWD, path, flags, -1)
    return opened(libc()->open(path, flags, mode), path, flags);
}

int open64(const char *path, int flags, ...) {
    MODE(flags)
    REFUSE_IF_CLOSED(AT_FDCWD, path, flags, -1)
    return opened(libc()->open64(path, flags, mode), path, flags);
}

int openat(int folder, const char *path, int flags, ...) {
    MODE(flags)
    REFUSE_IF_CLOSED(folder, path, flags, -1)
    return opened(libc()->openat(folder, path, flags, mode), path, flags);
}

int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags)
    REFUSE_IF_CLOSED(folder, path, flags, -1)
    return opened(libc()->openat64(folder, path, flags, mode), path, flags);
}

static int flags_of(const char *mode) { return mode[0] == 'r' ? O_RDONLY : O_CREAT; }

static FILE *opened_stream(FILE *stream, const char *path, const char *mode) {
    if (stream) opened(fileno(stream), path, flags_of(mode));
    return stream;
}

FILE *fopen(const char *path, const char *mode) {
    REFUSE_IF_CLOSED(AT_FDCWD, path, flags_of(mode), NULL)
    return opened_stream(libc()->fopen(path, mode), path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
    REFUSE_IF_CLOSED(AT_FDCWD, path, flags_of(mode), NULL)
    return opened_stream(libc()->fopen64(path, mode), path, mode);
}

#else

int file_protection_begin(const char *folder, const char *lock_file, const char *classes) { return ENOTSUP; }
int file_protection_check(enum protection_class value) { return ENOTSUP; }
int file_protection_set(const char *path, enum protection_class value) { return ENOTSUP; }

#endif
