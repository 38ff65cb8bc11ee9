// Signals interrupt system calls all the time, from before the recorder makes its trace. Meanwhile a
// thread opens and closes the library that the first argument names, and another asks for names.
#include <dlfcn.h>
#include <orderfile_runtime.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static void on_alarm(int number) { (void)number; }

static void start(int count, char **arguments, char **environment) {
  (void)count, (void)arguments, (void)environment;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  struct sigaction action = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 100}, {0, 100}};
  setitimer(ITIMER_REAL, &often, NULL);
}
__attribute__((section(".preinit_array"), used)) static void (*preinit)(int, char **, char **) = start;

static void *open_and_close(void *path) {
  for (int i = 0; i < 200; i++) {
    void *library = dlopen(path, RTLD_NOW);
    if (!library) return "";
    dlclose(library);
  }
  return NULL;
}

int main(int count, char **arguments) {
  pthread_t thread;
  void *failure = NULL;
  if (count < 2) return 0;
  pthread_create(&thread, NULL, open_and_close, arguments[1]);
  for (int i = 0; i < 20; i++) orderfile_write_names();
  pthread_join(thread, &failure);
  return failure != NULL;
}
