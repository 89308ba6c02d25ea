// What is shown while it runs, and at the end.

const spelled = (seconds) => {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
};

export class Progress {
  // `columns` of {name, usual_s}, for each of so many networks.
  constructor(columns, networks) {
    this.total = columns.length * networks;
    this.done = 0;
    this.columns = new Map(columns.map(({name, usual_s}) => [name, {left: networks, usual_s, measured: 0, seconds: 0}]));
    this.over = process.stderr.isTTY;
  }

  begin(network, cell) {
    if (this.over) process.stderr.write(`\r\x1b[K${this.#place()} ${network} ${cell}${this.#left()}`);
  }

  end(network, cell, {verdict, reason, seconds}, known) {
    this.done += 1;
    const column = this.columns.get(cell);
    column.left -= 1;
    if (known) return;
    column.measured += 1;
    column.seconds += seconds;
    const words = reason === null ? '' : `: ${reason.slice(0, 160)}`;
    process.stderr.write(`${this.over ? '\r\x1b[K' : ''}${this.#place()} ${network} ${cell} ${verdict} ${seconds.toFixed(1)} s${words}${
      this.over ? '' : this.#left()}\n`);
  }

  // A network that is not there at all.
  skip(network, reason) {
    for (const column of this.columns.values()) column.left -= 1;
    this.done += this.columns.size;
    process.stderr.write(`${this.over ? '\r\x1b[K' : ''}${this.#place()} ${network} FAIL: ${reason}\n`);
  }

  close() {
    if (this.over) process.stderr.write('\r\x1b[K');
  }

  #place() {
    return `[${String(this.done).padStart(String(this.total).length)}/${this.total}]`;
  }

  // By the mean of each column so far.
  #left() {
    const seconds = [...this.columns.values()].reduce((sum, {left, usual_s, measured, seconds}) =>
      sum + left * (measured === 0 ? usual_s : seconds / measured), 0);
    return `, about ${spelled(seconds)} left`;
  }

  // The last lines; the exit code.
  summary(rows, folder) {
    const counts = {ok: 0, refused: 0, 'n/a': 0, FAIL: 0};
    const failures = [];
    for (const {network, results} of rows) {
      for (const [cell, {verdict, reason}] of results) {
        counts[verdict] += 1;
        if (verdict === 'FAIL') failures.push(`FAIL  ${network.id} / ${cell}: ${reason}`);
      }
    }
    for (const line of failures) console.log(line);
    console.log(`${rows.length} networks: ${counts.ok} ok, ${counts.refused} refused, ${counts['n/a']} not applicable, ${counts.FAIL} failed`);
    console.log(`the table is ${folder}/table.md, every cell with its command ${folder}/results.tsv`);
    return counts.FAIL > 0 ? 1 : 0;
  }
}
