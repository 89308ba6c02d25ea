/* What a model is:  inspect MODEL
 * Where it cannot be read, the program says why and ends with the code of the error. */
#include <hone/hone.h>
#include <stdio.h>

static int give_up(hone_code code, hone_error* error) {
  fputs(hone_error_text(error), stderr);
  hone_error_free(error);
  return (int)code;
}

static void print_values(const hone_result* facts, const char* kind) {
  char list[32], name[64], type[64];
  snprintf(list, sizeof list, "/%s", kind);
  const size_t count = hone_result_count(facts, list);
  for (size_t i = 0; i < count; ++i) {
    snprintf(name, sizeof name, "/%s/%zu/name", kind, i);
    snprintf(type, sizeof type, "/%s/%zu/type", kind, i);
    printf("%-8s %s, %s\n", kind, hone_result_text(facts, name), hone_result_text(facts, type));
  }
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: inspect MODEL\n");
    return HONE_MISUSE;
  }
  hone_error* error = NULL;
  hone_context* context = NULL;
  hone_code code = hone_context_new(HONE_API_VERSION, NULL, &context, &error);
  if (code != HONE_DONE) return give_up(code, error);

  hone_result* facts = NULL;
  code = hone_inspect(context, argv[1], "{\"content\": true}", &facts, &error);
  if (code == HONE_DONE) {
    printf("hone     %s\n", hone_version());
    printf("nodes    %.0f\n", hone_result_number(facts, "/nodes"));
    printf("weights  %.0f\n", hone_result_number(facts, "/parameters"));
    printf("content  %s\n", hone_result_text(facts, "/content_fingerprint"));
    print_values(facts, "inputs");
    print_values(facts, "outputs");
  }
  hone_result_free(facts);
  hone_context_free(context);
  return code == HONE_DONE ? 0 : give_up(code, error);
}
