/* The memory of each system call, in the words of system_call_words.h. */
#include "system_call_words.h"

#if defined(__linux__)
#include <stddef.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define STAT "144"
#define EPOLL_EVENTS "12#3"
#else
#define STAT "128"
#define EPOLL_EVENTS "16#3"
#endif
#define NONE "."

static const char *const of_calls[] = {
    /* Files. */
    [SYS_read] = ". 1@3 .",
    [SYS_write] = ". 1@3 .",
    [SYS_pread64] = ". 1@3 . .",
    [SYS_pwrite64] = ". 1@3 . .",
    [SYS_readv] = ". v3 .",
    [SYS_writev] = ". v3 .",
    [SYS_preadv] = ". v3 . . .",
    [SYS_pwritev] = ". v3 . . .",
    [SYS_preadv2] = ". v3 . . . .",
    [SYS_pwritev2] = ". v3 . . . .",
    [SYS_vmsplice] = ". v3 . .",
    [SYS_sendfile] = ". . 8 .",
    [SYS_splice] = ". 8 . 8 . .",
    [SYS_tee] = NONE,
    [SYS_copy_file_range] = ". 8 . 8 . .",
    [SYS_lseek] = NONE,
    [SYS_close] = NONE,
    [SYS_dup] = NONE,
    [SYS_dup3] = NONE,
    [SYS_flock] = NONE,
    [SYS_fsync] = NONE,
    [SYS_fdatasync] = NONE,
    [SYS_sync] = NONE,
    [SYS_syncfs] = NONE,
    [SYS_sync_file_range] = NONE,
    [SYS_fadvise64] = NONE,
    [SYS_readahead] = NONE,
    [SYS_fallocate] = NONE,
    [SYS_truncate] = "s .",
    [SYS_ftruncate] = NONE,
    [SYS_openat] = ". s . .",
    [SYS_newfstatat] = ". s " STAT " .",
    [SYS_fstat] = ". " STAT,
    [SYS_statx] = ". s . . 256",
    [SYS_statfs] = "s 120",
    [SYS_fstatfs] = ". 120",
    [SYS_faccessat] = ". s .",
    [SYS_readlinkat] = ". s 1#4 .",
    [SYS_unlinkat] = ". s .",
    [SYS_mkdirat] = ". s .",
    [SYS_mknodat] = ". s . .",
    [SYS_linkat] = ". s . s .",
    [SYS_symlinkat] = "s . s",
    [SYS_renameat] = ". s . s",
    [SYS_renameat2] = ". s . s .",
    [SYS_fchmod] = NONE,
    [SYS_fchmodat] = ". s .",
    [SYS_fchown] = NONE,
    [SYS_fchownat] = ". s . . .",
    [SYS_utimensat] = ". s 32 .",
    [SYS_chdir] = "s",
    [SYS_fchdir] = NONE,
    [SYS_chroot] = "s",
    [SYS_getcwd] = "1@2 .",
    [SYS_getdents64] = ". 1#3 .",
    [SYS_umask] = NONE,
    [SYS_memfd_create] = "s .",
    [SYS_inotify_init1] = NONE,
    [SYS_inotify_add_watch] = ". s .",
    [SYS_inotify_rm_watch] = NONE,
    [SYS_fanotify_init] = NONE,
    [SYS_fanotify_mark] = ". . . . s",
    [SYS_setxattr] = "s s 1@4 . .",
    [SYS_lsetxattr] = "s s 1@4 . .",
    [SYS_fsetxattr] = ". s 1@4 . .",
    [SYS_getxattr] = "s s 1@4 .",
    [SYS_lgetxattr] = "s s 1@4 .",
    [SYS_fgetxattr] = ". s 1@4 .",
    [SYS_listxattr] = "s 1@3 .",
    [SYS_llistxattr] = "s 1@3 .",
    [SYS_flistxattr] = ". 1@3 .",
    [SYS_removexattr] = "s s",
    [SYS_lremovexattr] = "s s",
    [SYS_fremovexattr] = ". s",
    [SYS_name_to_handle_at] = "!",
    [SYS_open_by_handle_at] = "!",
    [SYS_fcntl] = "!",
    [SYS_ioctl] = "!",
    [SYS_mount] = "s s s . s",
    [SYS_umount2] = "s .",
    [SYS_pivot_root] = "s s",
    [SYS_swapon] = "s .",
    [SYS_swapoff] = "s",
    [SYS_acct] = "s",
    [424] = ". . 128 .",       /* pidfd_send_signal */
    [428] = ". s .",           /* open_tree */
    [429] = ". s . s .",       /* move_mount */
    [430] = "s .",             /* fsopen */
    [431] = "!",               /* fsconfig */
    [432] = NONE,              /* fsmount */
    [433] = ". s .",           /* fspick */
    [434] = NONE,              /* pidfd_open */
    [436] = NONE,              /* close_range */
    [437] = ". s 1@4 .",       /* openat2 */
    [438] = NONE,              /* pidfd_getfd */
    [439] = ". s . .",         /* faccessat2 */
    [442] = ". s . 1@5 .",     /* mount_setattr */
    [444] = "1@2 . .",         /* landlock_create_ruleset */
    [445] = ". . 16 .",        /* landlock_add_rule */
    [446] = NONE,              /* landlock_restrict_self */
    [447] = NONE,              /* memfd_secret */
    [451] = ". 16 40 .",       /* cachestat */
    [452] = ". s . .",         /* fchmodat2 */
    [457] = "z 1@3 . .",       /* statmount */
    [458] = "z 8@3 . .",       /* listmount */
    [463] = "!",               /* setxattrat */
    [464] = "!",               /* getxattrat */
    [465] = ". s . 1@5 .",     /* listxattrat */
    [466] = ". s . s",         /* removexattrat */
    [467] = ". s . 1@5 .",     /* open_tree_attr */
    [468] = ". s 1@4 . .",     /* file_getattr */
    [469] = ". s 1@4 . .",     /* file_setattr */

    /* Sockets. */
    [SYS_socket] = NONE,
    [SYS_socketpair] = ". . . 8",
    [SYS_bind] = ". 1#3 .",
    [SYS_connect] = ". 1#3 .",
    [SYS_listen] = NONE,
    [SYS_shutdown] = NONE,
    [SYS_accept] = ". l3 4",
    [SYS_accept4] = ". l3 4 .",
    [SYS_getsockname] = ". l3 4",
    [SYS_getpeername] = ". l3 4",
    [SYS_sendto] = ". 1@3 . . 1#6 .",
    [SYS_recvfrom] = ". 1@3 . . l6 4",
    [SYS_sendmsg] = ". m .",
    [SYS_recvmsg] = ". m .",
    [SYS_sendmmsg] = "!",
    [SYS_recvmmsg] = "!",
    [SYS_setsockopt] = "!",
    [SYS_getsockopt] = ". . . l5 4",

    /* Waiting. */
    [SYS_ppoll] = "8#2 . 16 1@5 .",
    [SYS_pselect6] = "!",
    [SYS_epoll_create1] = NONE,
    [SYS_epoll_ctl] = "!",
    [SYS_epoll_pwait] = ". " EPOLL_EVENTS " . . 1@6 .",
    [441] = ". " EPOLL_EVENTS " . 16 1@6 .", /* epoll_pwait2 */
    [SYS_eventfd2] = NONE,
    [SYS_signalfd4] = ". 1@3 . .",
    [SYS_timerfd_create] = NONE,
    [SYS_timerfd_settime] = ". . 32 32",
    [SYS_timerfd_gettime] = ". 32",
    [SYS_pipe2] = "8 .",
    [SYS_futex] = "!",
    [449] = "!",            /* futex_waitv */
    [454] = "4 . . .",      /* futex_wake */
    [455] = "4 . . . 16 .", /* futex_wait */
    [456] = "!",            /* futex_requeue */
    [SYS_io_setup] = ". 8",
    [SYS_io_destroy] = NONE,
    [SYS_io_submit] = "!",
    [SYS_io_cancel] = ". 64 32",
    [SYS_io_getevents] = ". . . 32@3 16",
    [SYS_io_pgetevents] = "!",
    [425] = "!", /* io_uring_setup */
    [426] = "!", /* io_uring_enter */
    [427] = "!", /* io_uring_register */

    /* Time. */
    [SYS_nanosleep] = "16 16",
    [SYS_clock_nanosleep] = ". . 16 16",
    [SYS_clock_gettime] = ". 16",
    [SYS_clock_getres] = ". 16",
    [SYS_clock_settime] = ". 16",
    [SYS_clock_adjtime] = ". 208",
    [SYS_adjtimex] = "208",
    [SYS_gettimeofday] = "16 8",
    [SYS_settimeofday] = "16 8",
    [SYS_getitimer] = ". 32",
    [SYS_setitimer] = ". 32 32",
    [SYS_timer_create] = ". 64 4",
    [SYS_timer_settime] = ". . 32 32",
    [SYS_timer_gettime] = ". 32",
    [SYS_timer_getoverrun] = NONE,
    [SYS_timer_delete] = NONE,
    [SYS_times] = "32",

    /* Signals. */
    [SYS_rt_sigaction] = ". 32 32 .",
    [SYS_rt_sigprocmask] = ". 1@4 1@4 .",
    [SYS_rt_sigpending] = "1@2 .",
    [SYS_rt_sigsuspend] = "1@2 .",
    [SYS_rt_sigtimedwait] = "1@4 128 16 .",
    [SYS_rt_sigqueueinfo] = ". . 128",
    [SYS_rt_tgsigqueueinfo] = ". . . 128",
    [SYS_rt_sigreturn] = NONE,
    [SYS_sigaltstack] = "!",
    [SYS_kill] = NONE,
    [SYS_tkill] = NONE,
    [SYS_tgkill] = NONE,

    /* Processes and threads. */
    [SYS_clone] = "!",
    [435] = "!", /* clone3 */
    [SYS_execve] = "s a a",
    [SYS_execveat] = ". s a a .",
    [SYS_exit] = NONE,
    [SYS_exit_group] = NONE,
    [SYS_wait4] = ". 4 . 144",
    [SYS_waitid] = ". . 128 . 144",
    [SYS_set_tid_address] = "4",
    [SYS_set_robust_list] = "24 .",
    [SYS_get_robust_list] = ". 8 8",
    [SYS_rseq] = "1@2 . . .",
    [SYS_prctl] = "!",
    [SYS_ptrace] = "!",
    [SYS_seccomp] = "!",
    [SYS_kcmp] = NONE,
    [SYS_unshare] = NONE,
    [SYS_setns] = NONE,
    [SYS_personality] = NONE,
    [SYS_getpid] = NONE,
    [SYS_getppid] = NONE,
    [SYS_gettid] = NONE,
    [SYS_getpgid] = NONE,
    [SYS_setpgid] = NONE,
    [SYS_getsid] = NONE,
    [SYS_setsid] = NONE,
    [SYS_getuid] = NONE,
    [SYS_geteuid] = NONE,
    [SYS_getgid] = NONE,
    [SYS_getegid] = NONE,
    [SYS_setuid] = NONE,
    [SYS_setgid] = NONE,
    [SYS_setreuid] = NONE,
    [SYS_setregid] = NONE,
    [SYS_setresuid] = NONE,
    [SYS_setresgid] = NONE,
    [SYS_getresuid] = "4 4 4",
    [SYS_getresgid] = "4 4 4",
    [SYS_setfsuid] = NONE,
    [SYS_setfsgid] = NONE,
    [SYS_getgroups] = ". 4#1",
    [SYS_setgroups] = ". 4#1",
    [SYS_capget] = "8 24",
    [SYS_capset] = "8 24",
    [SYS_getrlimit] = ". 16",
    [SYS_setrlimit] = ". 16",
    [SYS_prlimit64] = ". . 16 16",
    [SYS_getrusage] = ". 144",
    [SYS_getpriority] = NONE,
    [SYS_setpriority] = NONE,
    [SYS_ioprio_get] = NONE,
    [SYS_ioprio_set] = NONE,
    [SYS_sched_yield] = NONE,
    [SYS_sched_setparam] = ". 4",
    [SYS_sched_getparam] = ". 4",
    [SYS_sched_setscheduler] = ". . 4",
    [SYS_sched_getscheduler] = NONE,
    [SYS_sched_get_priority_max] = NONE,
    [SYS_sched_get_priority_min] = NONE,
    [SYS_sched_rr_get_interval] = ". 16",
    [SYS_sched_setaffinity] = ". . 1#2",
    [SYS_sched_getaffinity] = ". . 1#2",
    [SYS_sched_setattr] = ". z .",
    [SYS_sched_getattr] = ". 1#3 . .",
    [SYS_getcpu] = "4 4 .",
    [SYS_membarrier] = NONE,
    [SYS_restart_syscall] = NONE,
    [SYS_process_vm_readv] = "!",
    [SYS_process_vm_writev] = "!",
    [440] = ". 16@3 . . .", /* process_madvise */
    [448] = NONE,           /* process_mrelease */
    [459] = ". l3 4 .",     /* lsm_get_self_attr */
    [460] = ". 1@3 . .",    /* lsm_set_self_attr */
    [461] = "l2 4 .",       /* lsm_list_modules */

    /* Memory. */
    [SYS_mmap] = NONE,
    [SYS_munmap] = NONE,
    [SYS_mprotect] = NONE,
    [SYS_pkey_mprotect] = NONE,
    [SYS_pkey_alloc] = NONE,
    [SYS_pkey_free] = NONE,
    [SYS_mremap] = NONE,
    [SYS_madvise] = NONE,
    [SYS_msync] = NONE,
    [SYS_mlock] = NONE,
    [SYS_mlock2] = NONE,
    [SYS_munlock] = NONE,
    [SYS_mlockall] = NONE,
    [SYS_munlockall] = NONE,
    [SYS_mincore] = "!",
    [SYS_brk] = NONE,
    [SYS_remap_file_pages] = NONE,
    [SYS_mbind] = ". . . k5 . .",
    [SYS_set_mempolicy] = ". k3 .",
    [SYS_get_mempolicy] = "4 k3 . . .",
    [SYS_migrate_pages] = ". . k2 k2",
    [SYS_move_pages] = ". . 8@2 4@2 4@2 .",
    [SYS_userfaultfd] = NONE,
    [450] = NONE, /* set_mempolicy_home_node */
    [453] = NONE, /* map_shadow_stack */
    [462] = NONE, /* mseal */

    /* System V and POSIX communication. */
    [SYS_shmget] = NONE,
    [SYS_shmat] = NONE,
    [SYS_shmdt] = NONE,
    [SYS_shmctl] = "!",
    [SYS_semget] = NONE,
    [SYS_semop] = ". 6@3 .",
    [SYS_semtimedop] = ". 6@3 . 16",
    [SYS_semctl] = "!",
    [SYS_msgget] = NONE,
    [SYS_msgsnd] = "!",
    [SYS_msgrcv] = "!",
    [SYS_msgctl] = "!",
    [SYS_mq_open] = "s . . 64",
    [SYS_mq_unlink] = "s",
    [SYS_mq_timedsend] = ". 1@3 . . 16",
    [SYS_mq_timedreceive] = ". 1@3 . 4 16",
    [SYS_mq_notify] = "!",
    [SYS_mq_getsetattr] = ". 64 64",

    /* The system. */
    [SYS_uname] = "390",
    [SYS_sysinfo] = "112",
    [SYS_syslog] = ". 1#3 .",
    [SYS_sethostname] = "1#2 .",
    [SYS_setdomainname] = "1#2 .",
    [SYS_getrandom] = "1@2 . .",
    [SYS_vhangup] = NONE,
    [SYS_init_module] = "1@2 . s",
    [SYS_finit_module] = ". s .",
    [SYS_delete_module] = "s .",
    [SYS_kexec_file_load] = ". . . 1@3 .",
    [SYS_perf_event_open] = "!",
    [SYS_add_key] = "s s 1@4 . .",
    [SYS_request_key] = "s s s .",

#if defined(__x86_64__)
    [SYS_open] = "s . .",
    [SYS_creat] = "s .",
    [SYS_stat] = "s 144",
    [SYS_lstat] = "s 144",
    [SYS_access] = "s .",
    [SYS_readlink] = "s 1#3 .",
    [SYS_unlink] = "s",
    [SYS_mkdir] = "s .",
    [SYS_rmdir] = "s",
    [SYS_link] = "s s",
    [SYS_symlink] = "s s",
    [SYS_rename] = "s s",
    [SYS_chmod] = "s .",
    [SYS_chown] = "s . .",
    [SYS_lchown] = "s . .",
    [SYS_mknod] = "s . .",
    [SYS_utimes] = "s 32",
    [SYS_futimesat] = ". s 32",
    [SYS_utime] = "s 16",
    [SYS_ustat] = ". 32",
    [SYS_getdents] = ". 1#3 .",
    [SYS_dup2] = NONE,
    [SYS_inotify_init] = NONE,
    [SYS_poll] = "8#2 . .",
    [SYS_select] = "!",
    [SYS_epoll_create] = NONE,
    [SYS_epoll_wait] = ". 12#3 . .",
    [SYS_eventfd] = NONE,
    [SYS_signalfd] = ". 1@3 .",
    [SYS_pipe] = "8",
    [SYS_time] = "8",
    [SYS_alarm] = NONE,
    [SYS_pause] = NONE,
    [SYS_getpgrp] = NONE,
    [SYS_fork] = NONE,
    [SYS_vfork] = NONE,
    [SYS_arch_prctl] = "!",
    [SYS_modify_ldt] = ". 1@3 .",
    [SYS_set_thread_area] = "16",
    [SYS_get_thread_area] = "16",
    [SYS_ioperm] = NONE,
    [SYS_iopl] = NONE,
#endif
};

OF_INTERNAL const char *of_call_words(int64_t number) {
  bool is_listed = number >= 0 && number < (int64_t)(sizeof of_calls / sizeof *of_calls);
  return is_listed ? of_calls[number] : NULL;
}
#else
OF_INTERNAL const char *of_call_words(int64_t number) { return (void)number, "."; }
#endif
