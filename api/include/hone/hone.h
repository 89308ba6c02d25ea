#ifndef HONE_HONE_H
#define HONE_HONE_H
/* libhone: what the program `hone` does, for other programs. Plain C; docs/api.md teaches it.
 *
 * Calls       Each returns a hone_code and fills what its last arguments point to. Options are JSON
 *             with the names of docs/api.md, or NULL for none; a name that is not known is refused,
 *             with the nearest. Results are JSON, as `hone COMMAND --format json` prints them.
 * Errors      Unless the code is HONE_DONE, *error is set. Either pointer may be NULL: then nobody
 *             is told. A result beside an error is what is known all the same.
 * Ownership   What a call hands out is the caller's, to be freed by the function of its name;
 *             freeing NULL does nothing. Text and data inside of it live as long as it does. What
 *             the caller hands in is only looked at during the call.
 * Threads     A context, a session, a result and outputs may be used by several threads at once, an
 *             error and a monitor request by one. Calls block. Callbacks run on the thread of the
 *             call or one that it started, never two of one call at once, and end before it does.
 * Processes   What may crash (EPs, optimizers, models) runs in workers, which are processes of the
 *             program `hone`. Only a session runs in yours.
 * Environment None of it is read. hone_session_open sets ORT_DISABLE_TELEMETRY, before ONNX Runtime
 *             is loaded: setenv() is no thing to do while other threads call getenv().
 */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HONE_API __attribute__((visibility("default")))
#else
#define HONE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Rises when something here changes; what is there stays as it is within one libhone.so.N. */
#define HONE_API_VERSION 1

/* The version of the library that is loaded: "0.1.0". */
HONE_API const char* hone_version(void);

/* The numbers are the exit codes of the program. */
typedef enum hone_code {
  HONE_DONE = 0,
  HONE_FAILED = 1,   /* on the way: a file, a process, ONNX Runtime */
  HONE_MISUSE = 2,   /* the caller can mend it: a wrong path, option, model or argument */
  HONE_NOT_HELD = 3, /* all went well, and what was checked does not hold */
  HONE_NO_TRACE = 4, /* a trace was asked for, and there is none */
  HONE_STOPPED = 6   /* as somebody asked */
} hone_code;

/* --- errors -------------------------------------------------------------------------------- */

typedef struct hone_error hone_error;
HONE_API hone_code hone_error_code(const hone_error* error);
/* bad_input, not_found, unsupported, runtime, io, timeout, not_held or stopped. */
HONE_API const char* hone_error_kind(const hone_error* error);
/* What could not be done, and to which thing. */
HONE_API const char* hone_error_what(const hone_error* error);
/* What the layer below said, and what to try; "" where there is nothing to say. */
HONE_API const char* hone_error_cause(const hone_error* error);
HONE_API const char* hone_error_hint(const hone_error* error);
/* All of it, as `hone` prints it, with a newline at the end. */
HONE_API const char* hone_error_text(const hone_error* error);
HONE_API void hone_error_free(hone_error* error);

/* --- results ------------------------------------------------------------------------------- */

typedef struct hone_result hone_result;
/* The whole document; its first member is schema_version. */
HONE_API const char* hone_result_json(const hone_result* result);
/* One value of it, by JSON pointer (RFC 6901): "/latency_ms/p50", "/inputs/0/name". A string
 * without its quotes, anything else as JSON; NULL where there is no such value, or null. */
HONE_API const char* hone_result_text(const hone_result* result, const char* pointer);
/* The same as a number; NaN where it is none. */
HONE_API double hone_result_number(const hone_result* result, const char* pointer);
/* How many elements or members it has; 0 where it is neither array nor object. */
HONE_API size_t hone_result_count(const hone_result* result, const char* pointer);
HONE_API void hone_result_free(hone_result* result);

/* --- contexts ------------------------------------------------------------------------------ */

/* What hone finds on this machine. Options: program, own_library (libhone_ep.so), ort (ONNX Runtime
 * libraries to try), ep_libraries {name: path}, ep_folders (where EP libraries lie), cache (a
 * folder). What is not said is looked for around libhone.so, as it is installed; no cache is kept
 * unless there is a folder for it. */
typedef struct hone_context hone_context;
HONE_API hone_code hone_context_new(int api_version, const char* options, hone_context** context,
                                    hone_error** error);
HONE_API void hone_context_free(hone_context* context);

/* --- watching and stopping ----------------------------------------------------------------- */

/* Ends calls early. Setting it is allowed from any thread and from a signal handler. */
typedef struct hone_stop hone_stop;
HONE_API hone_stop* hone_stop_new(void);
HONE_API void hone_stop_now(hone_stop* stop);
HONE_API void hone_stop_free(hone_stop* stop);

typedef struct hone_watch {
  size_t size; /* sizeof(hone_watch): HONE_WATCH_INIT sets it */
  void* user;
  /* Told now and then; a total of 0 is not known. Anything but 0 stops the call. */
  int (*tell)(void* user, const char* doing, uint64_t done, uint64_t total);
  hone_stop* stop; /* NULL: none. It has to outlive the call */
} hone_watch;
#define HONE_WATCH_INIT \
  { sizeof(hone_watch), NULL, NULL, NULL }

/* --- what can be done to a model ------------------------------------------------------------ */
/* A model is a file, or a folder with one; `watch` may be NULL. A call that is stopped is
 * HONE_STOPPED; hone_perf, hone_compare and hone_search still give what they know by then. */

HONE_API hone_code hone_inspect(const hone_context* context, const char* model, const char* options,
                                hone_result** result, hone_error** error);

/* HONE_NOT_HELD: it would compute something else, and was not written. */
HONE_API hone_code hone_optimize(const hone_context* context, const char* model, const char* output,
                                 const char* options, const hone_watch* watch, hone_result** result,
                                 hone_error** error);

/* HONE_NOT_HELD: too little would be left of an output, and nothing was written. */
HONE_API hone_code hone_quantize(const hone_context* context, const char* model, const char* output,
                                 const char* options, const hone_watch* watch, hone_result** result,
                                 hone_error** error);

/* `recipe` is the text of one; NULL: as `hone config` would choose for the target of the options.
 * Leaves model.onnx, recipe.json and receipt.json in the folder. */
HONE_API hone_code hone_build(const hone_context* context, const char* model, const char* folder,
                              const char* recipe, const char* options, const hone_watch* watch,
                              hone_result** result, hone_error** error);

HONE_API hone_code hone_debug(const hone_context* context, const char* float_model,
                              const char* quantized_model, const char* options,
                              const hone_watch* watch, hone_result** result, hone_error** error);

/* The arms are in the options; the first is the baseline. */
HONE_API hone_code hone_compare(const hone_context* context, const char* options,
                                const hone_watch* watch, hone_result** result, hone_error** error);

/* Leaves journal, champion and report in the folder. One that was stopped goes on with
 * {"resumes": true}. */
HONE_API hone_code hone_search(const hone_context* context, const char* model, const char* folder,
                               const char* options, const hone_watch* watch, hone_result** result,
                               hone_error** error);

/* --- monitors ------------------------------------------------------------------------------- */

/* What a monitor may ask for before the session is opened. */
typedef struct hone_monitor_request hone_monitor_request;
HONE_API void hone_monitor_session_option(hone_monitor_request* request, const char* key,
                                          const char* value);
HONE_API void hone_monitor_provider_option(hone_monitor_request* request, const char* key,
                                           const char* value);

typedef struct hone_window {
  size_t size;
  uint64_t warmup_runs;
  uint64_t measured_runs; /* 0 where the runs failed */
  double seconds;         /* from the first to the last of them */
} hone_window;

/* Watches one session, in this order; each function may be NULL. Anything but 0 is a failure:
 * of `before` it ends the call, of the others it is a note in the result. */
typedef struct hone_monitor {
  size_t size;      /* sizeof(hone_monitor): HONE_MONITOR_INIT sets it */
  const char* name; /* where it stands in the result: "/monitors/NAME" */
  void* user;
  int (*before)(void* user, hone_monitor_request* request);
  int (*after)(void* user); /* all has run, and the session is still open */
  /* The session is gone, and what an EP writes then is there. Returns JSON, which has to live until
   * the call ends; NULL is a failure. */
  const char* (*parse)(void* user, const hone_window* window);
} hone_monitor;
#define HONE_MONITOR_INIT \
  { sizeof(hone_monitor), NULL, NULL, NULL, NULL, NULL }

/* How fast it runs, in a worker: the session whose times count is watched by the monitors. */
HONE_API hone_code hone_perf(const hone_context* context, const char* model, const char* options,
                             const hone_monitor* monitors, size_t monitor_count,
                             const hone_watch* watch, hone_result** result, hone_error** error);

/* --- sessions ------------------------------------------------------------------------------- */

/* Numbers of elements in memory, dense, in this machine's order. Types are those of ONNX
 * (TensorProto.DataType): 1 float, 2 uint8, 3 int8, 6 int32, 7 int64, 9 bool, 10 float16, ... */
typedef struct hone_tensor {
  size_t size; /* sizeof(hone_tensor) */
  const char* name;
  int32_t type;
  const int64_t* shape;
  size_t rank;
  const void* data;
  size_t bytes;
} hone_tensor;

typedef struct hone_session hone_session;
/* In this process, on the target of the options. The monitors, and what they point to, have to live
 * until the session is closed. */
HONE_API hone_code hone_session_open(const hone_context* context, const char* model,
                                     const char* options, const hone_monitor* monitors,
                                     size_t monitor_count, hone_session** session,
                                     hone_error** error);
/* Inputs, outputs, target, placement, the version of ONNX Runtime. */
HONE_API const hone_result* hone_session_facts(const hone_session* session);

typedef struct hone_outputs hone_outputs;
/* Inputs are read where they lie, and not copied. */
HONE_API hone_code hone_session_run(hone_session* session, const hone_tensor* inputs, size_t count,
                                    hone_outputs** outputs, hone_error** error);
HONE_API size_t hone_outputs_count(const hone_outputs* outputs);
/* In the model's order; NULL where there are not so many. */
HONE_API const hone_tensor* hone_outputs_at(const hone_outputs* outputs, size_t index);
HONE_API void hone_outputs_free(hone_outputs* outputs);

/* Destroys the session, in any case; nothing of it may be running. *result, where it is not NULL,
 * gets the number of runs and what the monitors say. */
HONE_API hone_code hone_session_close(hone_session* session, hone_result** result,
                                      hone_error** error);

#ifdef __cplusplus
}
#endif
#endif
