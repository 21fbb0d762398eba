/* Preloaded into the program by faults.rs: the system refuses one of its calls.
 *
 *   FAULTS_CALL    open, read, write, sync, rename, mkdir or list
 *   FAULTS_BELOW   only on files below this folder
 *   FAULTS_AT      which of these calls, from 1
 *   FAULTS_ERROR   the number of the error
 *   FAULTS_MARK    a file that is made when it happens, and says on which file
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_below(const char *path) {
  const char *below = getenv("FAULTS_BELOW");
  size_t length = below ? strlen(below) : 0;
  return length && strncmp(path, below, length) == 0 && (path[length] == '/' || !path[length]);
}

static void mark(const char *path) {
  int file = REAL(open64)(getenv("FAULTS_MARK"), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  if (file < 0 || REAL(write)(file, path, strlen(path)) < 0) abort();
  close(file);
}

static int fails(const char *call, const char *path) {
  const char *wanted = getenv("FAULTS_CALL");
  if (!wanted || strcmp(call, wanted) != 0 || !is_below(path)) return 0;
  if (atomic_fetch_add(&calls, 1) + 1 != atol(getenv("FAULTS_AT"))) return 0;
  mark(path);
  errno = atoi(getenv("FAULTS_ERROR"));
  return 1;
}

static int fails_on(const char *call, int file) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return fails(call, path);
}

#define OPENS(name, ...)                                  \
  va_list more;                                           \
  va_start(more, flags);                                  \
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
  va_end(more);                                           \
  if (fails("open", path)) return -1;                     \
  return REAL(name)(__VA_ARGS__, mode)

int open(const char *path, int flags, ...) { OPENS(open, path, flags); }
int open64(const char *path, int flags, ...) { OPENS(open64, path, flags); }
int openat(int folder, const char *path, int flags, ...) { OPENS(openat, folder, path, flags); }
int openat64(int folder, const char *path, int flags, ...) { OPENS(openat64, folder, path, flags); }

#define ON_FILE(call, type, name, parameters, ...)        \
  type name parameters {                                  \
    return fails_on(call, file) ? -1 : REAL(name)(file, ##__VA_ARGS__); \
  }

ON_FILE("read", ssize_t, read, (int file, void *to, size_t length), to, length)
ON_FILE("read", ssize_t, pread, (int file, void *to, size_t length, off_t at), to, length, at)
ON_FILE("read", ssize_t, pread64, (int file, void *to, size_t length, off64_t at), to, length, at)
ON_FILE("read", ssize_t, readv, (int file, const struct iovec *to, int count), to, count)
ON_FILE("write", ssize_t, write, (int file, const void *from, size_t length), from, length)
ON_FILE("write", ssize_t, pwrite, (int file, const void *from, size_t length, off_t at), from, length, at)
ON_FILE("write", ssize_t, pwrite64, (int file, const void *from, size_t length, off64_t at), from, length, at)
ON_FILE("write", ssize_t, writev, (int file, const struct iovec *from, int count), from, count)
ON_FILE("write", int, ftruncate, (int file, off_t length), length)
ON_FILE("write", int, ftruncate64, (int file, off64_t length), length)
ON_FILE("sync", int, fsync, (int file))
ON_FILE("sync", int, fdatasync, (int file))

ssize_t copy_file_range(int file, off64_t *from, int target, off64_t *to, size_t length, unsigned flags) {
  return fails_on("write", target) ? -1 : REAL(copy_file_range)(file, from, target, to, length, flags);
}

int rename(const char *from, const char *to) { return fails("rename", to) ? -1 : REAL(rename)(from, to); }
int mkdir(const char *path, mode_t mode) { return fails("mkdir", path) ? -1 : REAL(mkdir)(path, mode); }
DIR *opendir(const char *path) { return fails("list", path) ? NULL : REAL(opendir)(path); }
