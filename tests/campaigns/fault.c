/* Makes the Nth call of one function fail that a run makes after it has first opened a file for
   writing in its folder, FAULT_FOLDER. FAULT is CALL:N:ERRNO; an ERRNO of 0 kills the process
   instead. That it has come to it, the file FAULT_MARK tells. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int armed, left, number;
static char call[32], folder[4096];

__attribute__((constructor)) static void read_fault(void) {
    const char *text = getenv("FAULT"), *where = getenv("FAULT_FOLDER");
    const char *colon = text ? strchr(text, ':') : 0;
    if (!colon || !where) return;
    strncpy(folder, where, sizeof folder - 1);
    memcpy(call, text, colon - text);
    left = atoi(colon + 1);
    number = atoi(strchr(colon + 1, ':') + 1);
}

static int fails(const char *name) {
    if (!armed || !left || strcmp(name, call) || --left) return 0;
    close(syscall(SYS_openat, AT_FDCWD, getenv("FAULT_MARK"), O_CREAT | O_WRONLY, 0600));
    if (!number) kill(getpid(), SIGKILL);
    errno = number;
    return 1;
}

static int fails_to_open(const char *path, int flags) {
    int inside = path[0] != '/' || !strncmp(path, folder, strlen(folder));
    if (!folder[0] || !inside || !(flags & (O_WRONLY | O_RDWR))) return 0;
    armed = 1;
    return fails("open");
}

#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)
#define OPENS(name)                                       \
    int name(const char *path, int flags, ...) {          \
        va_list rest;                                     \
        va_start(rest, flags);                            \
        mode_t mode = va_arg(rest, mode_t);               \
        va_end(rest);                                     \
        if (fails_to_open(path, flags)) return -1;        \
        return REAL(name, path, flags, mode);             \
    }
OPENS(open)
OPENS(open64)

ssize_t write(int fd, const void *data, size_t size) {
    return fd != 2 && fails("write") ? -1 : REAL(write, fd, data, size);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t place) {
    return fails("write") ? -1 : REAL(pwritev64, fd, parts, count, place);
}
int fsync(int fd) { return fails("fsync") ? -1 : REAL(fsync, fd); }
int rename(const char *from, const char *to) { return fails("rename") ? -1 : REAL(rename, from, to); }
int linkat(int from, const char *old, int to, const char *new, int flags) {
    return fails("link") ? -1 : REAL(linkat, from, old, to, new, flags);
}
int fchmod(int fd, mode_t mode) { return fails("fchmod") ? -1 : REAL(fchmod, fd, mode); }
int ftruncate64(int fd, off64_t size) { return fails("ftruncate") ? -1 : REAL(ftruncate64, fd, size); }
int posix_fallocate64(int fd, off64_t start, off64_t size) {
    return fails("fallocate") ? errno : REAL(posix_fallocate64, fd, start, size);
}
int flock(int fd, int how) { return fails("flock") ? -1 : REAL(flock, fd, how); }
pid_t fork(void) { return fails("fork") ? -1 : REAL(fork); }
void *mmap64(void *at, size_t size, int access, int flags, int fd, off64_t place) {
    return fails("mmap") ? MAP_FAILED : REAL(mmap64, at, size, access, flags, fd, place);
}
extern void *__libc_malloc(size_t size);
void *malloc(size_t size) { return fails("malloc") ? 0 : __libc_malloc(size); }
