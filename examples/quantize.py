"""Quantizes a model and says what is left of its outputs, through ctypes alone:

    python3 quantize.py MODEL OUTPUT [LIBRARY]
"""
import ctypes
import json
import sys

hone = ctypes.CDLL(sys.argv[3] if len(sys.argv) > 3 else "libhone.so.0")
hone.hone_error_text.restype = ctypes.c_char_p
hone.hone_result_json.restype = ctypes.c_char_p
for name in ("hone_error_text", "hone_error_free", "hone_result_json", "hone_result_free", "hone_context_free"):
    getattr(hone, name).argtypes = [ctypes.c_void_p]

API_VERSION, DONE, NOT_HELD = 1, 0, 3


def call(function, *arguments):
    """Calls what fills a handle and an error; returns code and handle, or ends the program."""
    made, error = ctypes.c_void_p(), ctypes.c_void_p()
    code = function(*arguments, ctypes.byref(made), ctypes.byref(error))
    if code not in (DONE, NOT_HELD):
        sys.stderr.write(hone.hone_error_text(error).decode())
        sys.exit(code)
    hone.hone_error_free(error)
    return code, made


def document(result):
    text = hone.hone_result_json(result)
    hone.hone_result_free(result)
    return json.loads(text)


model, output = sys.argv[1].encode(), sys.argv[2].encode()
_, context = call(hone.hone_context_new, API_VERSION, None)
options = {"overwrite": True, "quantize": {"precisions": ["w8a8"], "per_channel": True}}
code, result = call(hone.hone_quantize, context, model, output, json.dumps(options).encode(), None)
for left in document(result)["outputs"]:
    print(left["output"], "exact" if left["sqnr_db"] is None else f"{left['sqnr_db']:.1f} dB")
if code == DONE:
    _, result = call(hone.hone_debug, context, model, output, b'{"samples": 2}', None)
    print(f"{len(document(result)['activations'])} tensors were compared")
hone.hone_context_free(context)
sys.exit(code)
