#include "CApusMemory.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

void capus_release_freed_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
