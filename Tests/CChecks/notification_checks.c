// Checks of the notifications of CApus, without a bus, and on the buses that Scripts/c-checks starts. libdbus is not
// compiled with the sanitizers, but what CApus passes to it and gets from it is checked.
#define _GNU_SOURCE
#include "checks.h"

#include "CApus.h"

#include <stdlib.h>
#include <string.h>

static enum capus_notify_result notify(const char *address, uint32_t *identifier, char *error, size_t size) {
    char *texts[] = {exact_text(address), exact_text("apus"), exact_text("a summary"), exact_text("a body: é")};
    enum capus_notify_result result =
        capus_notify(texts[0], texts[1], texts[2], texts[3], 5000, identifier, error, size);
    for (int i = 0; i < 4; i++) free(texts[i]);
    return result;
}

// The text of an error must end within its buffer, whatever the size of the buffer is.
static void errors(const char *address, enum capus_notify_result wanted) {
    for (size_t size = 1; size <= 200; size += size < 8 ? 1 : 64) {
        char *error = malloc(size);
        memset(error, 'x', size);
        uint32_t identifier = 7;
        require(notify(address, &identifier, error, size) == wanted);
        require(identifier == 0 && memchr(error, 0, size) != NULL);
        free(error);
    }
}

static void without_bus(void) {
    errors("unix:path=/no/such/bus", CAPUS_NOTIFY_NO_BUS);
    errors("no address", CAPUS_NOTIFY_NO_BUS);
    errors("", CAPUS_NOTIFY_NO_BUS);
}

static void without_service(void) {
    const char *address = getenv("APUS_CHECKS_BUS");
    require(address != NULL);
    errors(address, CAPUS_NOTIFY_NO_SERVICE);
}

static void with_service(void) {
    const char *address = getenv("APUS_CHECKS_BUS_WITH_SERVICE");
    require(address != NULL);
    for (int i = 0; i < 3; i++) {
        uint32_t identifier = 0;
        char error[64] = "";
        require(notify(address, &identifier, error, sizeof error) == CAPUS_NOTIFY_SHOWN);
        require(identifier > 0);
    }
}

const struct check notification_checks[] = {
    {"a notification without a bus", without_bus},
    {"a notification without a service", without_service},
    {"notifications", with_service},
    {NULL, NULL},
};
