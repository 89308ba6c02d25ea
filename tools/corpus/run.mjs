// Runs one command with a limit: its answer, how it ended, and how long it took.
import {spawn} from 'node:child_process';
import {performance} from 'node:perf_hooks';

const grace_ms = 10_000;  // between the asking signal and the killing one
const tail_bytes = 2_000;
let running = null;

// The process group, so that workers end with their parent.
function signal_group(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

// Ends what runs at the moment; for Ctrl-C.
export function end_running(signal) {
  if (running !== null) signal_group(running, signal);
}

// {argv, exit, signal, timed_out, stopped_at, seconds, answer, stdout_tail, stderr_tail}. `answer` is
// stdout as JSON, null where it is none. `stop_after_s` sends SIGTERM to the command alone, as a user
// would, and is no time-out.
export function run(argv, {cwd, env, limit_s, stop_after_s = null}) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(argv[0], argv.slice(1),
      {cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe']});
    running = child;
    const output = {stdout: [], stderr: []};
    for (const name of ['stdout', 'stderr']) child[name].on('data', (part) => output[name].push(part));

    let timed_out = false;
    let stopped_at = null;
    const since = () => (performance.now() - began) / 1000;
    const timers = [
      setTimeout(() => { timed_out = true; signal_group(child, 'SIGTERM'); }, limit_s * 1000),
      setTimeout(() => signal_group(child, 'SIGKILL'), limit_s * 1000 + grace_ms),
    ];
    if (stop_after_s !== null) {
      timers.push(setTimeout(() => { stopped_at = since(); child.kill('SIGTERM'); }, stop_after_s * 1000));
    }
    const end = () => { timers.forEach(clearTimeout); running = null; };
    child.on('error', (error) => { end(); reject(error); });
    child.on('close', (exit, signal) => {
      end();
      const [stdout, stderr] = ['stdout', 'stderr'].map((name) => Buffer.concat(output[name]).toString());
      resolve({argv, exit, signal, timed_out, stopped_at, seconds: since(), answer: json_or_null(stdout),
        stdout_tail: stdout.slice(-tail_bytes), stderr_tail: stderr.slice(-tail_bytes)});
    });
  });
}

function json_or_null(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
