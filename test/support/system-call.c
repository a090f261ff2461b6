/* An addon that exports a function: it makes the system call with the given number and arguments, and returns its result. */
typedef void *value;
typedef unsigned long size;
typedef _Bool flag;

int napi_create_function(void *env, const char *name, size length, value (*call)(void *, void *), void *data, value *result);
int napi_create_int64(void *env, long number, value *result);
int napi_get_buffer_info(void *env, value buffer, void **data, size *length);
int napi_get_cb_info(void *env, void *info, size *count, value *arguments, value *self, void **data);
int napi_get_value_int64(void *env, value number, long *result);
int napi_is_buffer(void *env, value given, flag *result);

static long system_call(const long *a) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = a[4], r8 __asm__("r8") = a[5], r9 __asm__("r9") = a[6];
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(a[0]), "D"(a[1]), "S"(a[2]), "d"(a[3]), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = a[0], x0 __asm__("x0") = a[1], x1 __asm__("x1") = a[2], x2 __asm__("x2") = a[3],
                x3 __asm__("x3") = a[4], x4 __asm__("x4") = a[5], x5 __asm__("x5") = a[6];
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#endif
}

#if defined(__x86_64__)
enum { EXIT = 60, CLONE = 56 };
#else
enum { EXIT = 93, CLONE = 220 };
#endif

static value call(void *env, void *info) {
  value given[7], result;
  size count = 7, length;
  long arguments[7] = {0};
  napi_get_cb_info(env, info, &count, given, 0, 0);
  for (size i = 0; i < count && i < 7; i++) {
    flag is_buffer = 0;
    napi_is_buffer(env, given[i], &is_buffer);
    if (is_buffer)
      napi_get_buffer_info(env, given[i], (void **)&arguments[i], &length);
    else
      napi_get_value_int64(env, given[i], &arguments[i]);
  }
  long answer = system_call(arguments);
  /* The new process. */
  if (arguments[0] == CLONE && answer == 0) {
    long end[7] = {EXIT};
    system_call(end);
  }
  napi_create_int64(env, answer, &result);
  return result;
}

value napi_register_module_v1(void *env, value exports) {
  napi_create_function(env, 0, 0, call, 0, &exports);
  return exports;
}
