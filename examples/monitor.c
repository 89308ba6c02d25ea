/* How fast a model runs, with a monitor of our own beside it:  monitor MODEL
 * It asks for an option of the session, and tells how busy the machine was meanwhile. */
#include <hone/hone.h>
#include <stdio.h>

typedef struct load_monitor {
  double before, after;
  char said[128];
} load_monitor;

static double load_now(void) {
  double load = -1;
  FILE* file = fopen("/proc/loadavg", "r");
  if (file == NULL) return load;
  if (fscanf(file, "%lf", &load) != 1) load = -1;
  fclose(file);
  return load;
}

static int before(void* user, hone_monitor_request* request) {
  hone_monitor_session_option(request, "session.intra_op.allow_spinning", "0");
  ((load_monitor*)user)->before = load_now();
  return 0;
}

static int after(void* user) {
  ((load_monitor*)user)->after = load_now();
  return 0;
}

static const char* parse(void* user, const hone_window* window) {
  load_monitor* own = user;
  snprintf(own->said, sizeof own->said, "{\"runs\": %llu, \"before\": %.2f, \"after\": %.2f}",
           (unsigned long long)window->measured_runs, own->before, own->after);
  return own->said;
}

int main(int argc, char** argv) {
  hone_error* error = NULL;
  hone_context* context = NULL;
  hone_result* result = NULL;
  load_monitor own = {0, 0, ""};
  hone_monitor monitor = HONE_MONITOR_INIT;
  monitor.name = "load", monitor.user = &own;
  monitor.before = before, monitor.after = after, monitor.parse = parse;

  hone_code code = hone_context_new(HONE_API_VERSION, NULL, &context, &error);
  if (code == HONE_DONE)
    code = hone_perf(context, argc > 1 ? argv[1] : "",
                     "{\"iterations\": 20, \"where\": {\"ep\": \"cpu\"}}", &monitor, 1, NULL,
                     &result, &error);
  if (code == HONE_DONE)
    printf("p50 %.3f ms, load %s\n", hone_result_number(result, "/latency_ms/p50"),
           hone_result_text(result, "/monitors/load"));
  fputs(hone_error_text(error), stderr);
  hone_error_free(error);
  hone_result_free(result);
  hone_context_free(context);
  return (int)code;
}
