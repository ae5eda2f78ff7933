#include "CApusDBus.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// These declarations of libdbus-1's stable interface replace its headers, as far as the interface is used here. The two
// structures are larger than libdbus's own, which are padded for the future and will not grow.
typedef struct { const char *name; const char *message; void *reserved[4]; } bus_error;
typedef struct { void *reserved[32]; } bus_iterator;
typedef struct DBusConnection DBusConnection;
typedef struct DBusMessage DBusMessage;
typedef uint32_t bus_bool;

enum { TYPE_ARRAY = 'a', TYPE_INT32 = 'i', TYPE_STRING = 's', TYPE_UINT32 = 'u' };

static struct {
    bus_bool (*threads_init_default)(void);
    void (*error_init)(bus_error *);
    void (*error_free)(bus_error *);
    DBusConnection *(*connection_open_private)(const char *, bus_error *);
    void (*connection_set_exit_on_disconnect)(DBusConnection *, bus_bool);
    DBusMessage *(*connection_send_with_reply_and_block)(DBusConnection *, DBusMessage *, int, bus_error *);
    void (*connection_close)(DBusConnection *);
    void (*connection_unref)(DBusConnection *);
    DBusMessage *(*message_new_method_call)(const char *, const char *, const char *, const char *);
    void (*message_unref)(DBusMessage *);
    void (*message_iter_init_append)(DBusMessage *, bus_iterator *);
    bus_bool (*message_iter_append_basic)(bus_iterator *, int, const void *);
    bus_bool (*message_iter_open_container)(bus_iterator *, int, const char *, bus_iterator *);
    bus_bool (*message_iter_close_container)(bus_iterator *, bus_iterator *);
    bus_bool (*message_iter_init)(DBusMessage *, bus_iterator *);
    int (*message_iter_get_arg_type)(bus_iterator *);
    void (*message_iter_get_basic)(bus_iterator *, void *);
} bus;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded = 0;

static void load(void) {
    void *library = dlopen("libdbus-1.so.3", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
#define FIND(name) \
    do { \
        void *symbol = dlsym(library, "dbus_" #name); \
        if (symbol == NULL) return; \
        memcpy(&bus.name, &symbol, sizeof symbol); \
    } while (0)
    FIND(threads_init_default);
    FIND(error_init);
    FIND(error_free);
    FIND(connection_open_private);
    FIND(connection_set_exit_on_disconnect);
    FIND(connection_send_with_reply_and_block);
    FIND(connection_close);
    FIND(connection_unref);
    FIND(message_new_method_call);
    FIND(message_unref);
    FIND(message_iter_init_append);
    FIND(message_iter_append_basic);
    FIND(message_iter_open_container);
    FIND(message_iter_close_container);
    FIND(message_iter_init);
    FIND(message_iter_get_arg_type);
    FIND(message_iter_get_basic);
#undef FIND
    is_loaded = bus.threads_init_default();
}

static void say(char *error, size_t size, const bus_error *cause, const char *otherwise) {
    if (cause != NULL && cause->message != NULL) {
        snprintf(error, size, "%s: %s", cause->name, cause->message);
    } else {
        snprintf(error, size, "%s", otherwise);
    }
}

static int append_empty_array(bus_iterator *arguments, const char *element) {
    bus_iterator array;
    return bus.message_iter_open_container(arguments, TYPE_ARRAY, element, &array)
        && bus.message_iter_close_container(arguments, &array);
}

// Appends the arguments of Notify, whose signature is susssasa{sv}i.
static int append_arguments(DBusMessage *message, const char *app_name, const char *summary, const char *body) {
    const char *icon = "";
    uint32_t replaces = 0;
    int32_t expires = -1;
    bus_iterator arguments;
    bus.message_iter_init_append(message, &arguments);
    return bus.message_iter_append_basic(&arguments, TYPE_STRING, &app_name)
        && bus.message_iter_append_basic(&arguments, TYPE_UINT32, &replaces)
        && bus.message_iter_append_basic(&arguments, TYPE_STRING, &icon)
        && bus.message_iter_append_basic(&arguments, TYPE_STRING, &summary)
        && bus.message_iter_append_basic(&arguments, TYPE_STRING, &body)
        && append_empty_array(&arguments, "s")
        && append_empty_array(&arguments, "{sv}")
        && bus.message_iter_append_basic(&arguments, TYPE_INT32, &expires);
}

// Every connection to a bus begins with this call; libdbus's own function for the call has no timeout.
static int say_hello(DBusConnection *connection, int timeout_ms, bus_error *cause) {
    DBusMessage *hello = bus.message_new_method_call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello");
    if (hello == NULL) return 0;
    DBusMessage *reply = bus.connection_send_with_reply_and_block(connection, hello, timeout_ms, cause);
    bus.message_unref(hello);
    if (reply == NULL) return 0;
    bus.message_unref(reply);
    return 1;
}

static int means_no_service(const bus_error *cause) {
    return cause->name != NULL
        && (strcmp(cause->name, "org.freedesktop.DBus.Error.ServiceUnknown") == 0
            || strcmp(cause->name, "org.freedesktop.DBus.Error.NameHasNoOwner") == 0
            || strncmp(cause->name, "org.freedesktop.DBus.Error.Spawn.", 33) == 0);
}

static enum capus_notify_result notify_on(
    DBusConnection *connection, const char *app_name, const char *summary, const char *body,
    int timeout_ms, uint32_t *identifier, bus_error *cause, char *error, size_t error_size) {
    if (!say_hello(connection, timeout_ms, cause)) {
        say(error, error_size, cause, "the bus does not answer");
        return CAPUS_NOTIFY_NO_BUS;
    }
    DBusMessage *message = bus.message_new_method_call(
        "org.freedesktop.Notifications", "/org/freedesktop/Notifications",
        "org.freedesktop.Notifications", "Notify");
    if (message == NULL || !append_arguments(message, app_name, summary, body)) {
        if (message != NULL) bus.message_unref(message);
        say(error, error_size, NULL, "out of memory");
        return CAPUS_NOTIFY_FAILED;
    }
    DBusMessage *reply = bus.connection_send_with_reply_and_block(connection, message, timeout_ms, cause);
    bus.message_unref(message);
    if (reply == NULL) {
        say(error, error_size, cause, "the notification service does not answer");
        return means_no_service(cause) ? CAPUS_NOTIFY_NO_SERVICE : CAPUS_NOTIFY_FAILED;
    }
    bus_iterator answer;
    if (bus.message_iter_init(reply, &answer) && bus.message_iter_get_arg_type(&answer) == TYPE_UINT32) {
        bus.message_iter_get_basic(&answer, identifier);
    }
    bus.message_unref(reply);
    return CAPUS_NOTIFY_SHOWN;
}

enum capus_notify_result capus_notify(
    const char *address, const char *app_name, const char *summary, const char *body,
    int timeout_ms, uint32_t *identifier, char *error, size_t error_size) {
    *identifier = 0;
    pthread_once(&once, load);
    if (!is_loaded) {
        say(error, error_size, NULL, "libdbus-1.so.3 is not installed");
        return CAPUS_NOTIFY_NO_LIBRARY;
    }
    bus_error cause;
    bus.error_init(&cause);
    enum capus_notify_result result;
    DBusConnection *connection = bus.connection_open_private(address, &cause);
    if (connection == NULL) {
        say(error, error_size, &cause, "the bus cannot be reached");
        result = CAPUS_NOTIFY_NO_BUS;
    } else {
        bus.connection_set_exit_on_disconnect(connection, 0);
        result = notify_on(
            connection, app_name, summary, body, timeout_ms, identifier, &cause, error, error_size);
        bus.connection_close(connection);
        bus.connection_unref(connection);
    }
    bus.error_free(&cause);
    return result;
}
