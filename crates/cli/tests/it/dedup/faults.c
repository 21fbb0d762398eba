/* Preloaded into the program by faults.rs: makes the system refuse one call on a file of one folder.
 *
 * FAULT_FOLDER  the folder
 * FAULT_CALL    open, read or list
 * FAULT_AT      which call of these, from 1
 * FAULT_ERROR   the number of the error
 * FAULT_MARK    a file that is made when it happens
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long calls;

typedef int (*open_function)(const char *, int, ...);
typedef ssize_t (*read_function)(int, void *, size_t);
typedef ssize_t (*pread_function)(int, void *, size_t, off64_t);
typedef DIR *(*opendir_function)(const char *);

static open_function real_open(void) {
    static open_function real;
    if (!real)
        real = (open_function)dlsym(RTLD_NEXT, "open64");
    return real;
}

static int refused(const char *call, const char *path) {
    const char *folder = getenv("FAULT_FOLDER"), *wanted = getenv("FAULT_CALL");
    if (!folder || !wanted || strcmp(call, wanted) || strncmp(path, folder, strlen(folder)))
        return 0;
    if (atomic_fetch_add(&calls, 1) + 1 != atol(getenv("FAULT_AT")))
        return 0;
    int mark = real_open()(getenv("FAULT_MARK"), O_CREAT | O_WRONLY, 0600);
    if (mark >= 0)
        close(mark);
    errno = atoi(getenv("FAULT_ERROR"));
    return 1;
}

/* The path of an open file. */
static const char *path_of(int file, char *buffer, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, buffer, size - 1);
    buffer[length < 0 ? 0 : length] = 0;
    return buffer;
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...) {                                                   \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;                     \
        va_end(arguments);                                                                         \
        return refused("open", path) ? -1 : real_open()(path, flags, mode);                        \
    }
OPEN(open)
OPEN(open64)

ssize_t read(int file, void *buffer, size_t size) {
    char path[4096];
    if (refused("read", path_of(file, path, sizeof path)))
        return -1;
    static read_function real;
    if (!real)
        real = (read_function)dlsym(RTLD_NEXT, "read");
    return real(file, buffer, size);
}

ssize_t pread64(int file, void *buffer, size_t size, off64_t offset) {
    char path[4096];
    if (refused("read", path_of(file, path, sizeof path)))
        return -1;
    static pread_function real;
    if (!real)
        real = (pread_function)dlsym(RTLD_NEXT, "pread64");
    return real(file, buffer, size, offset);
}

DIR *opendir(const char *path) {
    if (refused("list", path))
        return NULL;
    static opendir_function real;
    if (!real)
        real = (opendir_function)dlsym(RTLD_NEXT, "opendir");
    return real(path);
}
