#ifndef CAPUS_MEMORY_H
#define CAPUS_MEMORY_H

/// Returns memory that was freed to the system.
///
/// The GNU C library keeps freed memory that lies between pieces in use. With other libraries this does nothing.
void capus_release_freed_memory(void);

#endif
