#include "transform/compile/compile.h"

#include <algorithm>

#include "base/folder_cache.h"
#include "base/hash.h"
#include "base/hash_file.h"
#include "base/text.h"
#include "kinds/ep.h"
#include "model/edit.h"
#include "model/fingerprint.h"
#include "model/npz/npz.h"
#include "runtime/ep_names.h"
#include "runtime/target.h"
#include "transform/compile/context.h"
#include "transform/verify.h"

namespace hone {
namespace {

// The path of something that is there, seen from anywhere; other words stay as they are.
std::string seen_from_anywhere(const std::string& word) {
  std::error_code unknown;
  const bool is_file = !word.empty() && std::filesystem::exists(word, unknown);
  return is_file ? std::filesystem::absolute(word).string() : word;
}

// The plan for a worker that runs in the folder of its model.
RunPlan inside_folder_of_model(RunPlan plan) {
  plan.model = Path(plan.model).filename().string();
  for (std::string& library : plan.ort) library = seen_from_anywhere(library);
  for (auto& [name, path] : plan.ep_libraries) path = seen_from_anywhere(path);
  for (auto& [key, value] : plan.target.options) value = seen_from_anywhere(value);
  for (auto& [key, value] : plan.session_options) value = seen_from_anywhere(value);
  return plan;
}

std::vector<std::string> names_of_compilers() {
  std::vector<std::string> names;
  for (const Ep& ep : all_eps())
    if (ep.recipe.compiles_ahead) names.emplace_back(ep.name);
  return names;
}

// One job of a group, from the source to the files at their place.
class Compilation {
 public:
  Compilation(const CompileJob& job, std::string name) : job_(job), name_(std::move(name)) {}

  Status check_target() const {
    if (ep_short_name(job_.run.target.ep) != "cpu") return done();
    return fail(Fault::unsupported, "the CPU EP compiles nothing ahead of time", {},
                "choose the accelerator: --ep " + join(names_of_compilers(), ", "));
  }

  Status prepare(const CompileIdentity& here) {
    HONE_TRY(const Model source, load_model(job_.run.model));
    HONE_TRY_DO(check_source(source));
    HONE_TRY(const Digest fingerprint, content_fingerprint(source));
    report_.identity = here;
    report_.identity.model = fingerprint.hex();
    report_.model = job_.run.model;
    return done();
  }

  CompileReport& report() { return report_; }

  // ONNX Runtime names compiled groups after the path of the model as it is given: from inside
  // its folder the same model has the same names, and the same bytes, wherever it lies.
  CompileOrder order(const Path& folder) const {
    CompileOrder order;
    order.plan = inside_folder_of_model(job_.run);
    order.folder = std::filesystem::absolute(job_.run.model).parent_path();
    order.output = std::filesystem::absolute(folder) / name_;
    order.embeds = job_.embeds;
    return order;
  }

  Status finish(const Path& folder) {
    HONE_TRY_DO(sign(folder / name_));
    return job_.verifies ? verify_compiled(folder / name_) : done();
  }

  // Blobs first, then the model: whoever sees the model finds all of it.
  Status publish(const Path& folder) {
    HONE_TRY(Model compiled, load_model(folder / name_));
    HONE_TRY(report_.contexts, read_contexts(compiled));
    report_.nodes_left = compiled.graph->nodes().size() - report_.contexts.size();
    std::map<std::string, std::string> places;
    for (ContextNode& context : report_.contexts) {
      if (!context.blob) continue;
      if (!places.contains(*context.blob)) {
        HONE_TRY(places[*context.blob], publish_blob(folder / *context.blob));
      }
      context.blob = places.at(*context.blob);
    }
    for (Node& node : compiled.graph->nodes()) {
      const auto place = node.op_type == "EPContext"
                             ? places.find(node.string_or("ep_cache_context", ""))
                             : places.end();
      if (place == places.end()) continue;
      node.set_attribute(make_attribute("ep_cache_context", place->second));
    }
    for (const auto& [from, to] : places) report_.blobs.push_back(to);
    HONE_TRY_DO(save_model(
        compiled, job_.output,
        {.placement = DataPlacement::automatic, .data_file = "", .overwrite = job_.overwrite}));
    report_.output = job_.output.string();
    return done();
  }

 private:
  Status check_source(const Model& source) const {
    HONE_TRY_DO(refuse_existing(job_.output, job_.overwrite));
    HONE_TRY(const std::vector<ContextNode> contexts, read_contexts(source));
    if (contexts.empty()) return done();
    return fail(Fault::bad_input, "'" + job_.run.model + "' is compiled already",
                "it has an EPContext node: " + contexts.front().node,
                "compile the model it was made from");
  }

  // The compiled model says what it was made with.
  Status sign(const Path& output) const {
    HONE_TRY(Model compiled, load_model(output));
    HONE_TRY(const std::vector<ContextNode> contexts, read_contexts(compiled));
    if (contexts.empty()) {
      return fail(Fault::unsupported, describe(job_.run.target) + " compiled no node of the model",
                  {}, "`hone analyze` says which operators it takes");
    }
    store_identity(report_.identity, compiled);
    sort_values(compiled);
    HONE_TRY_DO(save_model(compiled, output,
                           {.placement = DataPlacement::keep, .data_file = "", .overwrite = true}));
    return done();
  }

  // One sample for both models: a compiled one no longer shows which of its inputs are indices.
  Result<Path> write_inputs(const Path& file) const {
    HONE_TRY(const Model source, load_model(job_.run.model));
    SampleSource wanted;
    wanted.data = job_.run.input_data;
    wanted.shape_config = job_.run.shape_config;
    wanted.seed = job_.run.seed;
    wanted.count = 1;
    HONE_TRY(const std::vector<Sample> samples, samples_for(source, wanted));
    std::vector<TensorPtr> arrays;
    for (const auto& [name, tensor] : samples.front()) {
      auto named = std::make_shared<Tensor>(*tensor);
      named->name = name;
      arrays.push_back(std::move(named));
    }
    HONE_TRY_DO(write_npz(file, arrays));
    return file;
  }

  Result<std::vector<NamedTensors>> outputs_of(const std::string& model, const Path& inputs,
                                               std::optional<Placement>& placement) const {
    HONE_TRY(Worker worker, Worker::start(job_.program, job_.limits, job_.environment));
    RunPlan plan = job_.run;
    plan.model = model;
    plan.input_data = inputs.string();
    const Path file = inputs.parent_path() / "outputs.npz";
    HONE_TRY(WorkerOpened opened, worker.open(plan));
    placement = std::move(opened.placement);
    HONE_TRY_DO(worker.save_outputs(0, file));
    HONE_TRY(const std::vector<TensorPtr> arrays, read_npz(file));
    NamedTensors outputs;
    for (const TensorPtr& array : arrays) outputs.emplace(array->name, array);
    return std::vector<NamedTensors>{std::move(outputs)};
  }

  Status verify_compiled(const Path& compiled) {
    job_.progress("loading and running the compiled model");
    HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("compile-check"));
    HONE_TRY(const Path inputs, write_inputs(folder.path() / "inputs.npz"));
    std::optional<Placement> unused;
    HONE_TRY(const auto expected, outputs_of(job_.run.model, inputs, unused));
    HONE_TRY(const auto actual, outputs_of(compiled.string(), inputs, report_.placement));
    Verification verification;
    verification.promise = name_of(Numerics::close);
    verification.tolerance = tolerance_of(Numerics::close, ElementType::float16);
    verification.samples = 1;
    verification.outputs = compare_outputs(expected, actual);
    verification.holds = std::ranges::all_of(verification.outputs, [&](const auto& output) {
      return output.is_equal || output.relative.value_or(1) <= *verification.tolerance;
    });
    report_.verified = verification;
    if (verification.holds) return done();
    return fail(Fault::runtime, "the compiled model computes something else than its source",
                "an output differs by more than 1 % of its largest value",
                "`hone debug` says where; --no-verify writes it all the same");
  }

  // Named after the model and its own bytes, so that two builds beside each other keep apart.
  Result<std::string> publish_blob(const Path& blob) const {
    HONE_TRY(const Digest hash, hash_of_file(blob));
    const bool is_shared = !report_.identity.shared_with.empty();
    const std::string stem = is_shared ? "shared" : job_.output.stem().string();
    const std::string name = blob_name(stem, hash.hex(), blob.extension().string());
    const Path place = job_.output.parent_path() / name;
    std::error_code unknown;
    if (std::filesystem::exists(place, unknown)) {
      HONE_TRY(const Digest there, hash_of_file(place));
      if (there == hash) return name;
    }
    HONE_TRY_DO(clone_file(blob, place));
    return name;
  }

  const CompileJob& job_;
  std::string name_;  // of the model's file in the folder of the group
  CompileReport report_;
};

// All models of a call; one is a group too.
class Group {
 public:
  explicit Group(const std::vector<CompileJob>& jobs) : jobs_(jobs) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const std::string number = jobs.size() > 1 ? "-" + std::to_string(i + 1) : "";
      parts_.emplace_back(jobs[i], "model" + number + ".onnx");
    }
  }

  Result<std::vector<CompileReport>> run() {
    HONE_TRY_DO(prepare());
    HONE_TRY(const Path folder, make());
    for (Compilation& part : parts_) HONE_TRY_DO(part.publish(folder));
    for (const CompileJob& job : jobs_) remove_unused_blobs(job.output);
    std::vector<CompileReport> reports;
    for (Compilation& part : parts_) reports.push_back(std::move(part.report()));
    return reports;
  }

 private:
  bool is_shared() const { return parts_.size() > 1; }

  Status prepare() {
    HONE_TRY_DO(parts_.front().check_target());
    HONE_TRY(const CompileIdentity here, identity_here(jobs_.front()));
    std::vector<std::string> fingerprints;
    for (Compilation& part : parts_) {
      HONE_TRY_DO(part.prepare(here));
      fingerprints.push_back(part.report().identity.model);
    }
    Sha256 all;
    for (Compilation& part : parts_) {
      CompileReport& report = part.report();
      if (is_shared()) report.identity.shared_with = fingerprints;
      report.key = key_of(report.identity);
      all.add_field(report.key);
    }
    key_ = is_shared() ? all.finish().hex() : parts_.front().report().key;
    return done();
  }

  // From the cache, or made and put there; without a cache in a folder of ours.
  Result<Path> make() {
    const auto fill = [&](const Path& folder) { return compile_into(folder); };
    const std::optional<Path>& place = jobs_.front().cache;
    if (!place) {
      HONE_TRY(TemporaryFolder made, TemporaryFolder::create("compile"));
      temporary_.emplace(std::move(made));
      HONE_TRY_DO(fill(temporary_->path()));
      return temporary_->path();
    }
    FolderCache cache(*place);
    if (const std::optional<Path> found = cache.find(key_)) {
      for (Compilation& part : parts_) part.report().was_cached = true;
      return *found;
    }
    return cache.put(key_, fill);
  }

  std::vector<CompileOrder> orders(const Path& folder) const {
    std::vector<CompileOrder> found;
    for (const Compilation& part : parts_) found.push_back(part.order(folder));
    if (!is_shared()) return found;
    for (CompileOrder& order : found) order.plan.session_options["ep.share_ep_contexts"] = "1";
    found.back().plan.session_options["ep.stop_share_ep_contexts"] = "1";
    return found;
  }

  Status compile_into(const Path& folder) {
    const CompileJob& job = jobs_.front();
    job.progress("compiling");
    HONE_TRY(Worker worker, Worker::start(job.program, job.limits, job.environment));
    HONE_TRY(const std::vector<double> times, worker.compile(orders(folder)));
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      parts_[i].report().compile_ms = times[i];
      HONE_TRY_DO(parts_[i].finish(folder));
    }
    return done();
  }

  const std::vector<CompileJob>& jobs_;
  std::vector<Compilation> parts_;
  std::string key_;
  std::optional<TemporaryFolder> temporary_;
};

}  // namespace

Result<CompileIdentity> identity_here(const CompileJob& job) {
  HONE_TRY(Worker worker, Worker::start(job.program, job.limits, job.environment));
  HONE_TRY(const WorkerProbed probed, worker.probe(job.run));
  CompileIdentity identity;
  identity.ort_version = probed.ort_version;
  identity.ep = ep_short_name(job.run.target.ep);
  identity.provider_options = job.run.target.options;
  identity.session_options = job.run.session_options;
  identity.embeds = job.embeds;
  // Whichever library the EP is from, all of them are of one build.
  Sha256 libraries;
  HONE_TRY(const Digest runtime, hash_of_file(probed.ort_path));
  libraries.add_field(runtime.hex());
  for (const auto& [name, path] : job.run.ep_libraries) {
    HONE_TRY(const Digest hash, hash_of_file(path));
    libraries.add_field(hash.hex());
  }
  identity.ep_library = libraries.finish().hex();
  HONE_TRY(const auto devices, offered_devices(probed, job.run.target));
  if (devices.empty()) {  // an EP that is opened by its name alone
    return fail(Fault::unsupported, describe(job.run.target) + " compiles nothing ahead of time",
                "ONNX Runtime opens it by its name, and offers no device to compile for",
                "choose another: --ep " + join(names_of_compilers(), ", "));
  }
  const Device& device = devices.front();  // a session is bound to
  identity.device = device.type;
  identity.vendor_id = device.vendor_id;
  identity.device_id = device.device_id;
  identity.device_metadata = device.metadata;
  return identity;
}

Result<CompileReport> compile_ahead(const CompileJob& job) {
  const std::vector<CompileJob> jobs = {job};
  HONE_TRY(std::vector<CompileReport> reports, compile_together(jobs));
  return std::move(reports.front());
}

Result<std::vector<CompileReport>> compile_together(const std::vector<CompileJob>& jobs) {
  return Group(jobs).run();
}

}  // namespace hone
