/*
 * Lets user mode Linux 6.1 run where processors have more registers than it knows (AMX). It reads as many as it has
 * room for, and the kernel takes all of them or none: the rest is added as it is. Loaded with LD_PRELOAD.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define ALL_REGISTERS 0x202 /* NT_X86_XSTATE */
#define KINDS_AT 512        /* which kinds of registers differ from their first state */
#define KNOWN_KINDS 0x3ff

static long set_all(pid_t pid, struct iovec *part) {
    static unsigned char whole[1 << 14];
    struct iovec all = {whole, sizeof whole};
    if (syscall(SYS_ptrace, PTRACE_GETREGSET, pid, ALL_REGISTERS, &all) < 0)
        return -1;
    memcpy(whole, part->iov_base, part->iov_len < all.iov_len ? part->iov_len : all.iov_len);
    uint64_t kinds;
    memcpy(&kinds, whole + KINDS_AT, sizeof kinds);
    kinds &= KNOWN_KINDS;
    memcpy(whole + KINDS_AT, &kinds, sizeof kinds);
    return syscall(SYS_ptrace, PTRACE_SETREGSET, pid, ALL_REGISTERS, &all);
}

long ptrace(enum __ptrace_request request, ...) {
    va_list given;
    va_start(given, request);
    pid_t pid = va_arg(given, pid_t);
    void *address = va_arg(given, void *), *data = va_arg(given, void *);
    va_end(given);
    if (request == PTRACE_SETREGSET && (uintptr_t)address == ALL_REGISTERS)
        return set_all(pid, data);
    if (request > PTRACE_PEEKUSER || request < PTRACE_PEEKTEXT)
        return syscall(SYS_ptrace, request, pid, address, data);
    long word;
    if (syscall(SYS_ptrace, request, pid, address, &word) < 0)
        return -1;
    errno = 0;
    return word;
}
