// The columns of the table: what is run for each, what is kept of its answers, and what they have to hold.
//
// A cell is {name, limit_s, usual_s, timed, skip(c), steps(c), check(facts, c, files)}. `c` is the network at hand:
// {hone, model, opset, precision, shapes, second}; `usual_s` is what to expect before any was measured, `timed` where
// it does not depend on the network. Commands run in a folder of the cell's own, so outputs have plain names. `skip`
// says why there is nothing to do, `check` what is wrong; both are silent otherwise.
//
// A step is {argv, keep, says, fine, excuse, writes, stop_after_s}. `keep` takes what is looked at out of the JSON
// answer, and `writes` names a file for it; `says` is the reason in an answer that comes with a failure; `fine` are
// exit codes besides 0; `excuse` says why a failure is not hone's. A step that fails ends the cell.

const same_db = {fp32: 60, fp64: 60, none: 60};  // 1e-3 of the largest value
const same_db_else = 40;                          // half precision and integers round, 1e-2
const samples = ['--samples', '2'];

const hone = (c, ...words) => [c.hone, ...words, '--format', 'json'];
const shapes = (c) => (c.shapes === null ? [] : ['--shape-config', c.shapes]);

// Whether `hone eval` finds the same numbers in what was made of the model.
const eval_step = (c, made) => ({
  argv: hone(c, 'eval', made, '--mode', 'compare', '--reference', c.model, ...samples, ...shapes(c)),
  keep: (answer) => ({outputs: answer.outputs.map(({output, samples, identical, not_comparable, psnr_db, max_abs}) =>
    ({output, samples, identical, not_comparable, psnr_db: value_of(psnr_db), max_abs: value_of(max_abs)}))}),
});

// A figure of `hone eval` comes with its interval; there is none where samples are identical.
const value_of = (figure) => figure?.value ?? null;

const bound_of = (c) => same_db[c.precision] ?? same_db_else;

function not_the_same(facts, c) {
  if (facts.outputs.length === 0) return 'no output was compared';
  for (const {output, samples, identical, not_comparable, psnr_db} of facts.outputs) {
    if (not_comparable > 0) return `output '${output}' cannot be compared with the original's`;
    if (identical === samples) continue;
    if (psnr_db === null || psnr_db < bound_of(c)) {
      return `output '${output}' is another: ${psnr_db?.toFixed(1) ?? 'no'} dB to the original, not ${bound_of(c)}`;
    }
  }
  return null;
}

// A step that another column is about: its failure is told there, once.
const taken = (step, column) => ({...step, excuse: () => `there is no model to look at: see ${column}`});

const converted = (c, opset) => ({
  argv: hone(c, 'convert', c.model, '--opset', String(opset), '-o', 'converted.onnx'),
  keep: (answer) => ({from: answer.from, to: answer.to, changed: answer.changed_nodes}),
});

const up = (c) => (c.opset < 21 ? 21 : 25);
const down = (c) => (c.opset > 13 ? 13 : Math.max(9, c.opset - 1));

function convert_cell(name, target) {
  return {
    name, limit_s: 180, usual_s: 3,
    skip: (c) => (target(c) === c.opset ? `it is of opset ${c.opset}, the lowest there is` : null),
    steps: (c) => [converted(c, target(c)), eval_step(c, 'converted.onnx')],
    check: ([made, same], c) => (made.to === target(c) ? not_the_same(same, c) : `opset ${made.to}, not ${target(c)}`),
  };
}

const optimize_steps = (c) => [
  {argv: hone(c, 'analyze', c.model, '--optim-config', 'suggested.json', ...shapes(c)), fine: [3],
    keep: (answer) => ({suggestions: answer.suggestions.map(({capability}) => capability)})},
  {argv: hone(c, 'optimize', c.model, '-c', 'suggested.json', '-o', 'optimized.onnx', ...shapes(c)),
    keep: (answer) => ({nodes_before: answer.nodes_before, nodes_after: answer.nodes_after, holds: answer.verified?.holds ?? null})},
];

// Below 10 dB a tenth of what comes out is noise: nobody wants to be told that this is done (docs/quantize.md).
const floor_db = 10;

// Why it was not written, and what would help.
function too_little_is_left({not_verified_because, holds, least_sqnr_db, worst_output, worst_sqnr_db, tried}) {
  if (not_verified_because) return not_verified_because;
  if (holds !== false) return null;
  const remedies = (tried ?? []).map(({name, worst_sqnr_db}) => `${name} ${worst_sqnr_db?.toFixed(1) ?? 'no'} dB`);
  return `below the floor of ${least_sqnr_db} dB: '${worst_output}' keeps ${worst_sqnr_db?.toFixed(1)} dB; tried ${
    remedies.length > 0 ? remedies.join(', ') : 'nothing'}`;
}

const quantize_step = (c, precision, ...more) => ({
  argv: hone(c, 'quantize', c.model, '-o', 'quantized.onnx', '-p', precision, ...more, ...shapes(c)),
  says: too_little_is_left,
  keep: ({nodes_quantized, verified, not_verified_because, outputs}) =>
    ({nodes_quantized, verified, not_verified_because, outputs: outputs?.map(({output, sqnr_db, judged}) => ({output, sqnr_db, judged}))}),
});

function quantize_cell(precision) {
  return {
    name: precision, limit_s: 900, usual_s: 8,
    steps: (c) => [quantize_step(c, precision)],
    check: ([{verified, not_verified_because, nodes_quantized, outputs}], c, files) => {
      if (!files.includes('quantized.onnx')) return 'exit 0 and no model';
      if (!verified) return `exit 0 and not verified: ${not_verified_because}`;
      if (nodes_quantized === 0) return 'exit 0 and nothing is quantized';
      // What the samples show too little of to be judged is said beside it, and says nothing here.
      const worst = (outputs ?? []).find(({sqnr_db, judged}) => judged && sqnr_db !== null && sqnr_db < floor_db);
      return worst ? `exit 0 and output '${worst.output}' has ${worst.sqnr_db.toFixed(1)} dB` : null;
    },
  };
}

const control_flow = new Set(['If', 'Loop', 'Scan']);

function trace_is_wrong([{operators, latency_ms}]) {
  if (operators.length === 0) return 'the trace has no operator';
  if (!(latency_ms > 0)) return 'there is no latency beside the trace';
  const share = (list) => list.reduce((sum, {percent}) => sum + percent, 0);
  if (Math.abs(share(operators) - 100) > 1) return `shares of operators sum to ${share(operators).toFixed(1)} %`;
  // Time inside of a body belongs to the nodes of the body, so entering it is all that is left.
  const entering = share(operators.filter(({op}) => control_flow.has(op)));
  return entering > 50 ? `If, Loop and Scan take ${entering.toFixed(0)} % of the time by themselves` : null;
}

const race_s = 40;
const verdicts = new Set(['faster', 'slower', 'equivalent', 'inconclusive']);

function race_is_wrong([, , {verdict, ratio, interval, seconds}]) {
  if (!verdicts.has(verdict)) return `the verdict is '${verdict}'`;
  // One session tells a ratio and no interval.
  if (ratio !== null && interval !== null && interval.length > 0 && !(interval[0] <= ratio && ratio <= interval[1])) return 'the ratio is outside of its interval';
  return seconds > race_s * 1.1 + 2 ? `--max-time ${race_s} took ${seconds.toFixed(0)} s` : null;
}

const search_s = 120;
const search_files = ['report.html', 'results.tsv', 'search.json', 'journal.db'];

const search_step = (c, more) => ({
  argv: hone(c, 'autoconfig', c.model, '-o', 'search', '--time-budget', String(search_s), ...shapes(c)),
  keep: (answer, {seconds}) => ({champion: answer.champion, verdict: answer.verdict, stopped: answer.stopped,
    arms: answer.arms.length, seconds}),
  ...more,
});

export const cells = [
  {
    name: 'inspect', limit_s: 30, usual_s: 0.1,
    steps: (c) => [{argv: hone(c, 'inspect', c.model),
      keep: ({nodes, opsets, precision, inputs, outputs}) =>
        ({nodes, opset: opsets['ai.onnx'] ?? null, precision, inputs: inputs.length, outputs: outputs.length})}],
    check: ([{nodes, outputs}]) => (nodes > 0 && outputs > 0 ? null : 'no node, or no output'),
  },
  convert_cell('convert up', up),
  convert_cell('convert down', down),
  {
    name: 'analyze', limit_s: 180, usual_s: 2,
    steps: (c) => [{argv: hone(c, 'analyze', c.model, ...shapes(c)), fine: [3],
      keep: ({support, features, placement, fusions}, {exit}) =>
        ({exit, support, placed: placement?.known ?? false, shares: placement?.shares?.map(({ep, nodes}) => ({ep, nodes})),
          has_features: features !== undefined, fusions: fusions.length})}],
    check: ([{exit, has_features, placed, shares}]) => {
      if (!has_features) return 'the answer has no features';
      if (!placed) return 'the model was not opened on the CPU';
      const all_on_cpu = shares.every(({ep}) => ep === 'cpu');
      return exit === 3 && all_on_cpu ? 'exit 3 though the CPU takes every node' : null;
    },
  },
  {
    name: 'optimize', limit_s: 600, usual_s: 8,
    steps: (c) => [...optimize_steps(c), eval_step(c, 'optimized.onnx')],
    check: ([, made, same], c) => (made.holds === true ? not_the_same(same, c) : 'written without a check that holds'),
  },
  ...['w8a8', 'w8a16', 'int4', 'fp16', 'dynamic'].map(quantize_cell),
  {
    name: 'build', limit_s: 600, usual_s: 10,
    steps: (c) => [
      {argv: hone(c, 'build', c.model, '-o', 'built', '--ep', 'cpu', ...shapes(c)), keep: () => ({})},
      eval_step(c, 'built/model.onnx')],
    check: ([, same], c, files) => {
      const missing = ['built/model.onnx', 'built/recipe.json', 'built/receipt.json'].find((file) => !files.includes(file));
      return missing ? `there is no ${missing}` : not_the_same(same, c);
    },
  },
  {
    name: 'perf', limit_s: 300, usual_s: 4,
    steps: (c) => [{argv: hone(c, 'perf', c.model, '--iterations', '20', '--warmup', '3', ...shapes(c)),
      keep: ({latency_ms, raw_samples_ms, placement}) =>
        ({p50_ms: latency_ms.p50, runs: raw_samples_ms.length, placed: placement.known})}],
    check: ([{p50_ms, runs}]) => (p50_ms > 0 && runs >= 20 ? null : 'there is no latency of 20 runs'),
  },
  {
    name: 'trace', limit_s: 300, usual_s: 8,
    steps: (c) => [
      {argv: hone(c, 'perf', c.model, '--iterations', '20', '--warmup', '3', '--op-tracing', 'basic', '-o', 'report.json', ...shapes(c)),
        keep: ({latency_ms, op_trace}) => ({latency_ms: latency_ms.p50, operators: op_trace.operators.map(
          ({op_type, percent_of_total}) => ({op: op_type, percent: percent_of_total}))})},
      {argv: hone(c, 'trace', 'show', 'report.json'), keep: ({operators}) => ({operators: operators.length})}],
    check: ([traced, shown]) =>
      trace_is_wrong([traced]) ?? (shown.operators === traced.operators.length ? null : '`hone trace show` has other operators'),
  },
  {
    name: 'debug', limit_s: 900, usual_s: 15,
    steps: (c) => [taken(quantize_step(c, 'w8a8', '--allow-loss', '--no-remedies'), 'w8a8'),
      {argv: hone(c, 'debug', '--float-model', c.model, '--quant-model', 'quantized.onnx', ...samples, ...shapes(c)),
        keep: ({activations, weights, model_outputs}) =>
          ({activations: activations.length, weights: weights.length, outputs: model_outputs.length})}],
    check: ([, {activations, weights, outputs}]) =>
      (activations + weights > 0 && outputs > 0 ? null : 'no tensor is listed'),
  },
  {
    name: 'compare', limit_s: 700, usual_s: race_s + 5, timed: true,
    steps: (c) => [...optimize_steps(c).map((step) => taken(step, 'optimize')),
      {argv: hone(c, 'compare', '--arm', `before:model=${c.model.replaceAll(',', '\\,')}`, '--arm', 'after:model=optimized.onnx',
        '--max-time', String(race_s), ...shapes(c)),
      keep: ({verdict, ratio, interval}, {seconds}) => ({verdict, ratio, interval, seconds})}],
    check: race_is_wrong,
  },
  {
    name: 'autoconfig', limit_s: search_s * 2, usual_s: search_s, timed: true,
    steps: (c) => [search_step(c)],
    check: ([{arms, seconds, stopped}], c, files) => {
      const missing = search_files.find((file) => !files.includes(`search/${file}`));
      if (missing) return `there is no ${missing}`;
      if (arms === 0) return 'nothing was tried';
      return seconds > search_s * 1.1 ? `--time-budget ${search_s} took ${seconds.toFixed(0)} s` : null;
    },
  },
  {
    name: 'stop', limit_s: 120, usual_s: 21, timed: true,
    steps: (c) => [search_step(c, {stop_after_s: 20, keep: (answer, {seconds, signal, stopped_at}) => ({seconds, signal, stopped_at})})],
    check: ([{seconds, signal, stopped_at}], c, files) => {
      if (stopped_at === null) return null;  // the search was over by then
      if (signal !== 'SIGTERM') return `it ended by ${signal ?? 'itself'} and not by the signal that stopped it`;
      if (!files.includes('search/journal.db')) return 'there is no journal.db';
      return seconds - stopped_at > 15 ? `it ended ${(seconds - stopped_at).toFixed(0)} s after the signal` : null;
    },
  },
  {
    name: 'second', limit_s: 600, usual_s: 8,
    skip: (c) => (c.second === null ? 'there is no second runtime here' : null),
    steps: (c) => [
      {argv: hone(c, 'inspect', c.model), writes: 'inputs.json', keep: ({inputs}) => inputs},
      ...(c.opset >= 21 ? [] : [taken(converted(c, 21), 'convert up')]),
      ...optimize_steps(c).map((step) => taken(step, 'optimize')),
      {argv: [process.execPath, c.second.script, c.second.folder, 'inputs.json', c.shapes ?? '', c.model,
        ...(c.opset >= 21 ? [] : ['converted.onnx']), 'optimized.onnx'], keep: (answer) => answer,
      excuse: ({signal, stderr_tail}) => (signal !== null && !stderr_tail.includes('runs the original') ?
        `the second runtime ends by ${signal} on the original` : null)}],
    check: (facts, c) => {
      const {runtime, unavailable, models} = facts.at(-1);
      if (unavailable !== null) return {refused: `${runtime} does not run the original: ${unavailable}`};
      for (const {model, error, outputs} of models) {
        if (error !== null) return `${runtime} does not run ${model}: ${error}`;
        const off = outputs.find(({psnr_db}) => psnr_db !== null && psnr_db < bound_of(c));
        if (off) return `${runtime}: output '${off.output}' of ${model} has ${off.psnr_db.toFixed(1)} dB`;
      }
      return null;
    },
  },
];
