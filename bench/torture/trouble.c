/*
 * Trouble on demand, for a process and all that it starts: writes that fail, and a clock that jumps.
 *
 * It is loaded with LD_PRELOAD and stands where programs meet the C library, so that our own code, libgit2
 * and the git program all see the same failing disk and the same clock, and the product knows nothing of
 * it. What is wanted is read at every call from a file that all of them share; trouble.py writes it.
 *
 * Writes are counted over all processes. One whose number lies between `first` and `last` fails: half of
 * what was to be written is, as on a disk that becomes full, and then ENOSPC; a file, folder or name that
 * was to be made is refused with ENOSPC; a flush fails with EIO. Only files below TROUBLE_BELOW count. Renames that
 * let two files change places or replace nothing take no room, and fail never.
 * Agents (CHANT_SPEC_ID) write undisturbed: their failures are their own.
 *
 * TROUBLE_LACKS names what the file system below lacks, as network ones do: `locks` (ENOLCK), `reading-locks`
 * (EBADF for a handle that cannot be written, as NFS), `folder-flushes` (EINVAL, as SMB and FUSE), `links` (EPERM),
 * `kinds-of-renames` (EINVAL: neither without replacing nor two at once), `fine-stamps` (in steps of 10 ms).
 *
 * Only the calendar jumps; clocks that nobody sets go on.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* In the order of trouble.py. */
struct orders {
    _Atomic int64_t ahead; /* seconds that the calendar is ahead */
    _Atomic int64_t first, last;
    _Atomic int64_t done, failed;
};

static struct orders *orders;
static char below[4096];
static int is_agent;
static const char *lacks = "";
static int (*real_clock)(clockid_t, struct timespec *);
static __thread int is_full;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("TROUBLE_ORDERS"), *folder = getenv("TROUBLE_BELOW");
    real_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    is_agent = getenv("CHANT_SPEC_ID") != NULL;
    if (getenv("TROUBLE_LACKS") != NULL)
        lacks = getenv("TROUBLE_LACKS");
    if (path == NULL || folder == NULL || strlen(folder) >= sizeof below)
        return;
    strcpy(below, folder);
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (file < 0)
        return;
    void *shared = mmap(NULL, sizeof *orders, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared != MAP_FAILED)
        orders = shared;
}

static int is_below(const char *path) {
    size_t length = strlen(below);
    return strncmp(path, below, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Whether this very write is to fail. */
static int fails(void) {
    int64_t number = atomic_fetch_add(&orders->done, 1) + 1;
    int does = number >= orders->first && number <= orders->last;
    if (does)
        atomic_fetch_add(&orders->failed, 1);
    return does;
}

static int may_fail(void) { return orders != NULL && !is_agent; }

static int lies_below(int folder, const char *name) {
    char path[8192], link[64];
    if (!may_fail())
        return 0;
    if (name[0] == '/')
        return is_below(name);
    if (folder == AT_FDCWD) {
        if (syscall(SYS_getcwd, path, sizeof path) < 0)
            return 0;
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length < 0)
            return 0;
        path[length] = '\0';
    }
    return is_below(path);
}

static int fails_at(int folder, const char *name) { return lies_below(folder, name) && fails(); }

static int is_ours(int file) {
    char path[8192], link[64];
    struct stat about;
    if (!may_fail() || fstat(file, &about) != 0 || !(S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = '\0';
    return is_below(path);
}

static int refused(int why) {
    errno = why;
    return -1;
}

ssize_t write(int file, const void *bytes, size_t count) {
    if (count > 0 && is_ours(file)) {
        if (is_full || fails()) {
            is_full = !is_full && count > 1;
            if (!is_full)
                return refused(ENOSPC);
            count /= 2;
        }
    }
    return syscall(SYS_write, file, bytes, count);
}

static int is_lacking(const char *what) {
    size_t length = strlen(what);
    for (const char *at = lacks; (at = strstr(at, what)) != NULL; at += length)
        if ((at == lacks || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return 1;
    return 0;
}

int flock(int file, int operation) {
    if (is_lacking("locks") && is_ours(file))
        return refused(ENOLCK);
    if (is_lacking("reading-locks") && is_ours(file) && (fcntl(file, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return refused(EBADF);
    return (int)syscall(SYS_flock, file, operation);
}

int fsync(int file) {
    struct stat about;
    if (is_lacking("folder-flushes") && is_ours(file) && fstat(file, &about) == 0 && S_ISDIR(about.st_mode))
        return refused(EINVAL);
    return is_ours(file) && fails() ? refused(EIO) : (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    return is_ours(file) && fails() ? refused(EIO) : (int)syscall(SYS_fdatasync, file);
}

static int opened(int folder, const char *name, int flags, mode_t mode) {
    struct stat about;
    int makes = (flags & O_CREAT) && fstatat(folder, name, &about, 0) != 0;
    if (makes && fails_at(folder, name))
        return refused(ENOSPC);
    return (int)syscall(SYS_openat, folder, name, flags, mode);
}

#define MODE(last)                                                                                          \
    va_list rest;                                                                                           \
    va_start(rest, last);                                                                                   \
    mode_t mode = (last & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0;                                \
    va_end(rest)

int open(const char *name, int flags, ...) {
    MODE(flags);
    return opened(AT_FDCWD, name, flags, mode);
}

int open64(const char *name, int flags, ...) {
    MODE(flags);
    return opened(AT_FDCWD, name, flags, mode);
}

int openat(int folder, const char *name, int flags, ...) {
    MODE(flags);
    return opened(folder, name, flags, mode);
}

int openat64(int folder, const char *name, int flags, ...) {
    MODE(flags);
    return opened(folder, name, flags, mode);
}

int mkdirat(int folder, const char *name, mode_t mode) {
    return fails_at(folder, name) ? refused(ENOSPC) : (int)syscall(SYS_mkdirat, folder, name, mode);
}

int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

int renameat2(int folder, const char *from, int there, const char *to, unsigned flags) {
    if (flags != 0 && is_lacking("kinds-of-renames") && lies_below(there, to))
        return refused(EINVAL);
    if (flags == 0 && fails_at(there, to))
        return refused(ENOSPC);
    return (int)syscall(SYS_renameat2, folder, from, there, to, flags);
}

int renameat(int folder, const char *from, int there, const char *to) {
    return renameat2(folder, from, there, to, 0);
}

int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int linkat(int folder, const char *from, int there, const char *to, int flags) {
    if (is_lacking("links") && lies_below(there, to))
        return refused(EPERM);
    return fails_at(there, to) ? refused(ENOSPC) : (int)syscall(SYS_linkat, folder, from, there, to, flags);
}

int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

/* A stamp as a clock gives it that ticks every 10 ms. */
static long coarse(long nanoseconds) {
    return is_lacking("fine-stamps") ? nanoseconds - nanoseconds % 10000000 : nanoseconds;
}

int fstatat(int folder, const char *restrict name, struct stat *restrict about, int flags) {
    if (syscall(SYS_newfstatat, folder, name, about, flags) != 0)
        return -1;
    about->st_mtim.tv_nsec = coarse(about->st_mtim.tv_nsec);
    about->st_ctim.tv_nsec = coarse(about->st_ctim.tv_nsec);
    return 0;
}

int fstatat64(int folder, const char *restrict name, struct stat64 *restrict about, int flags) {
    return fstatat(folder, name, (struct stat *)about, flags);
}

int statx(int folder, const char *restrict name, int flags, unsigned mask, struct statx *restrict about) {
    if (syscall(SYS_statx, folder, name, flags, mask, about) != 0)
        return -1;
    about->stx_mtime.tv_nsec = (uint32_t)coarse(about->stx_mtime.tv_nsec);
    about->stx_ctime.tv_nsec = (uint32_t)coarse(about->stx_ctime.tv_nsec);
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int answer = real_clock ? real_clock(clock, now) : (int)syscall(SYS_clock_gettime, clock, now);
    if (answer == 0 && orders != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += orders->ahead;
    return answer;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec precise;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *into) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (into != NULL)
        *into = now.tv_sec;
    return now.tv_sec;
}
