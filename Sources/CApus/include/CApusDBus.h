// Makes one call on the session bus. libdbus is opened at run time, so neither a build nor a start needs it.

#ifndef CAPUS_DBUS_H
#define CAPUS_DBUS_H

#include <stddef.h>
#include <stdint.h>

enum capus_notify_result {
    CAPUS_NOTIFY_SHOWN = 0,
    CAPUS_NOTIFY_NO_LIBRARY = 1,  // libdbus-1 is not installed
    CAPUS_NOTIFY_NO_BUS = 2,      // no bus answers at the address
    CAPUS_NOTIFY_NO_SERVICE = 3,  // the bus knows no notification service
    CAPUS_NOTIFY_FAILED = 4,      // the service answered with an error, or not in time
};

/// Calls org.freedesktop.Notifications.Notify on the bus at `address`, and waits for the answer.
///
/// The wait is at most `timeout_ms` for each of the two messages. All texts are UTF-8. After a success, `identifier` is
/// the number of the notification. Otherwise `error` contains a text of at most `error_size` bytes, including its
/// terminator.
enum capus_notify_result capus_notify(
    const char *address, const char *app_name, const char *summary, const char *body,
    int timeout_ms, uint32_t *identifier, char *error, size_t error_size);

#endif
