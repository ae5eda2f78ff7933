// Finds out from a program's file whether the program's time can be virtual.
#define _GNU_SOURCE
#include "process_tree.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#if __SIZEOF_POINTER__ == 8
#define OWN_CLASS ELFCLASS64
typedef Elf64_Ehdr Header;
typedef Elf64_Phdr Segment;
typedef Elf64_Shdr Section;
#else
#define OWN_CLASS ELFCLASS32
typedef Elf32_Ehdr Header;
typedef Elf32_Phdr Segment;
typedef Elf32_Shdr Section;
#endif

// Whether `count` elements of `size` bytes are within the file.
static bool is_within(size_t length, uint64_t offset, uint64_t count, uint64_t size) {
    return offset <= length && (count == 0 || size <= (length - offset) / count);
}

static bool has_section(const char *file, size_t length, const char *name) {
    const Header *header = (const Header *)file;
    if (header->e_shentsize != sizeof(Section) || header->e_shstrndx >= header->e_shnum
        || !is_within(length, header->e_shoff, header->e_shnum, sizeof(Section)))
        return false;
    const Section *sections = (const Section *)(file + header->e_shoff), *names = &sections[header->e_shstrndx];
    if (!is_within(length, names->sh_offset, names->sh_size, 1)) return false;
    size_t size = strlen(name) + 1;
    for (int i = 0; i < header->e_shnum; i++) {
        uint64_t place = sections[i].sh_name;
        if (place + size <= names->sh_size && memcmp(file + names->sh_offset + place, name, size) == 0) return true;
    }
    return false;
}

static const char *linker_of(const char *file, size_t length) {
    const Header *header = (const Header *)file;
    if (header->e_phentsize != sizeof(Segment)
        || !is_within(length, header->e_phoff, header->e_phnum, sizeof(Segment)))
        return NULL;
    const Segment *segments = (const Segment *)(file + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++) {
        const Segment *one = &segments[i];
        if (one->p_type != PT_INTERP || one->p_filesz == 0 || !is_within(length, one->p_offset, one->p_filesz, 1))
            continue;
        const char *name = file + one->p_offset;
        return name[one->p_filesz - 1] == 0 ? name : NULL;
    }
    return NULL;
}

static const char *obstacle_in(const char *file, size_t length) {
    const Header *header = (const Header *)file;
    if (length < sizeof(Header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return NULL;
    if (header->e_ident[EI_CLASS] != OWN_CLASS) return "is a program for another kind of processor";
    if (has_section(file, length, ".go.buildinfo")) return "is written in Go, which makes system calls without libc";
    const char *linker = linker_of(file, length);
    if (!linker) return "is statically linked, so it makes system calls without the shared libc";
    if (strstr(linker, "musl")) return "uses musl, and only glibc's calls are replaced";
    return NULL;
}

const char *program_obstacle(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    struct stat status;
    const char *obstacle = NULL;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        bool is_privileged = (status.st_mode & S_ISUID && status.st_uid != geteuid())
            || (status.st_mode & S_ISGID && status.st_mode & S_IXGRP && status.st_gid != getegid())
            || (geteuid() != 0 && fgetxattr(file, "security.capability", NULL, 0) > 0);
        if (is_privileged) obstacle = "runs with other rights (setuid), so the dynamic linker does not load the clock";
    }
    if (!obstacle && status.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            obstacle = obstacle_in(bytes, (size_t)status.st_size);
            munmap(bytes, (size_t)status.st_size);
        }
    }
    close(file);
    return obstacle;
}
