// Registrations that are errors.
#include <orderfile_tasks.h>
#include <stdio.h>

static void one(void) { puts("one"); }
static void two(void) { puts("two"); }
ORDERFILE_TASK("twice", "a", one)
ORDERFILE_TASK_AT("twice", "a", two, 1)
ORDERFILE_TASK("twice", "b", two)

#if defined(__APPLE__)
#define PLACE section("__DATA,__of_tasks,regular,no_dead_strip"), used
#else
#define PLACE section("orderfile_tasks"), used, retain
#endif
static struct orderfile_task later_version __attribute__((aligned(8), PLACE)) = {
    2, sizeof(struct orderfile_task), 0, one, 0, "later", "of version 2"};
static struct orderfile_task later_flag __attribute__((aligned(8), PLACE)) = {
    1, sizeof(struct orderfile_task), 0, one, 1, "later", "with a flag"};
static struct orderfile_task without_end __attribute__((aligned(8), PLACE)) = {
    1, sizeof(struct orderfile_task), 0, one, 0, "later",
    "123456789012345678901234567890123456789012345678"};
/* A later version may have further members. */
static struct { struct orderfile_task task; uint64_t more[2]; } longer __attribute__((aligned(8), PLACE)) = {
    {1, sizeof longer, 0, two, 0, "later", "with more members"}, {1, 1}};
