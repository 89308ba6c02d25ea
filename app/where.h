#pragma once
// The options that say where something runs, the same in every command: --ep, --device,
// --ep-options, --ep-library, --ort, --session-options, --threads. The environment ($HONE_ORT,
// $HONE_EP_PATH, $HONE_CACHE) is read here and nowhere else.

#include <string>

#include "app/options.h"
#include "base/result.h"
#include "record/where.h"

namespace hone::app {

// What this program finds on the machine.
Result<Host> this_host();

// No option: the host is what this program finds on the machine.
void declare_host(Options& options, Host& host);
// Declares the runtime: --ort.
void declare_ort(Options& options, Host& host);
// Declares the runtime and its plugin libraries: --ort and --ep-library. The host is what this
// program finds on the machine, with what they say.
void declare_runtime(Options& options, Host& host);
// Declares all of them.
void declare_where(Options& options, Where& where);

// Where things are kept that can be made again: $HONE_CACHE, else $XDG_CACHE_HOME/hone, else
// ~/.cache/hone.
Result<Path> cache_folder();

// Where a user's findings are kept: $XDG_DATA_HOME/hone/knowledge, else
// ~/.local/share/hone/knowledge.
Result<Path> knowledge_folder();

}  // namespace hone::app
