// What a cell came to: ok, refused with a reason that a user accepts, or FAIL.
// It is judged from what was kept, each time anew: another list of accepted reasons needs no other run.
import fs from 'node:fs';

// Lines of accepted.tsv: cells (a word, several with commas, or *), a regular expression, why a user accepts it.
export function accepted_reasons(file) {
  return fs.readFileSync(file, 'utf8').split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [cells, pattern, why] = line.split('\t');
      return {cells: cells === '*' ? null : new Set(cells.split(',')), pattern: new RegExp(pattern, 'i'), why};
    });
}

// What hone said, in one line: `what: cause (try: hint)`, or the reason in an answer that is no error.
export function words_of(step) {
  const error = step.error;
  if (error) {
    const hint = error.hint ? ` (try: ${error.hint})` : '';
    return `${error.what}${error.cause ? `: ${error.cause}` : ''}${hint}`.replace(/\s+/g, ' ');
  }
  if (step.said) return step.said.replace(/\s+/g, ' ');
  const lines = step.stderr_tail.trim().split('\n').filter((line) => line !== '');
  const from = lines.findLastIndex((line) => line.startsWith('error: '));
  return lines.slice(from < 0 ? -2 : from).join(' ').replace(/\s+/g, ' ');
}

const fail = (reason) => ({verdict: 'FAIL', reason});

function judge_end(cell, record, context, accepted) {
  const step = record.steps.at(-1);
  const command = step.argv[1];
  const excuse = step.facts === null ? cell.steps(context)[record.steps.length - 1].excuse?.(step) ?? null : null;
  if (excuse !== null) return {verdict: 'n/a', reason: excuse};
  if (step.timed_out) return fail(`${command} took more than ${Math.round(step.limit_s)} s`);
  if (step.signal !== null && step.stopped_at === null) return fail(`${command} ended by ${step.signal}`);
  const is_fine = step.exit === 0 || step.fine.includes(step.exit) || step.stopped_at !== null;
  if (is_fine) return null;
  const words = words_of(step);
  if (words === '') return fail(`${command}: exit ${step.exit} without a word`);
  const known = accepted.find(({cells, pattern}) => (cells === null || cells.has(cell.name)) && pattern.test(words));
  if (known === undefined) return fail(`${command}: exit ${step.exit}: ${words}`);
  if (record.left_behind.length > 0) return fail(`${command} refused and left ${record.left_behind.join(', ')}`);
  return {verdict: 'refused', reason: words, why: known.why};
}

// {verdict, reason, why}
export function judge(cell, record, context, accepted) {
  if (record.skipped) return {verdict: 'n/a', reason: record.skipped};
  const ended = judge_end(cell, record, context, accepted);
  if (ended !== null) return ended;
  if (record.steps.some((step) => step.unreadable)) {
    return fail(`${record.steps.find((step) => step.unreadable).argv[1]}: the answer is not what its page promises: ${
      record.steps.find((step) => step.unreadable).unreadable}`);
  }
  const wrong = cell.check(record.steps.map((step) => step.facts), context, record.files);
  if (wrong === null || wrong === undefined) return {verdict: 'ok', reason: null};
  return typeof wrong === 'string' ? fail(wrong) : {verdict: 'n/a', reason: wrong.refused};
}
