// What is shown while it runs, and at the end.

const spelled = (seconds) => {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
};

export class Progress {
  // `columns` of {name, usual_s, timed}, for networks of these sizes: id to bytes.
  constructor(columns, sizes) {
    this.total = columns.length * sizes.size;
    this.done = 0;
    this.sizes = sizes;
    this.columns = new Map(columns.map((column) => [column.name, {...column, left: 0, measured: 0, seconds: 0}]));
    for (const column of this.columns.values()) for (const id of sizes.keys()) column.left += this.#weight(column, id);
    this.over = process.stderr.isTTY;
  }

  begin(network, cell) {
    if (this.over) process.stderr.write(`\r\x1b[K${this.#place()} ${network} ${cell}${this.#left()}`);
  }

  end(network, cell, {verdict, reason, seconds}, known) {
    this.done += 1;
    const column = this.columns.get(cell);
    column.left -= this.#weight(column, network);
    if (known) return;
    column.measured += this.#weight(column, network);
    column.seconds += seconds;
    const words = reason === null ? '' : `: ${reason.slice(0, 160)}`;
    process.stderr.write(`${this.over ? '\r\x1b[K' : ''}${this.#place()} ${network} ${cell} ${verdict} ${seconds.toFixed(1)} s${words}${
      this.over ? '' : this.#left()}\n`);
  }

  // A network that is not there at all.
  skip(network, reason) {
    for (const column of this.columns.values()) column.left -= this.#weight(column, network);
    this.done += this.columns.size;
    process.stderr.write(`${this.over ? '\r\x1b[K' : ''}${this.#place()} ${network} FAIL: ${reason}\n`);
  }

  close() {
    if (this.over) process.stderr.write('\r\x1b[K');
  }

  #place() {
    return `[${String(this.done).padStart(String(this.total).length)}/${this.total}]`;
  }

  // How long a network takes grows with its size, though not as fast; a search takes the time it is given.
  #weight({timed}, id) {
    return timed ? 1 : Math.sqrt(Math.max(this.sizes.get(id), 1e5) / 1e7);
  }

  // By what each column took so far.
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
        if (verdict === 'FAIL') failures.push(`FAIL  ${network.id} / ${cell}: ${reason.slice(0, 300)}`);
      }
    }
    for (const line of failures) console.log(line);
    console.log(`${rows.length} networks: ${counts.ok} ok, ${counts.refused} refused, ${counts['n/a']} not applicable, ${counts.FAIL} failed`);
    console.log(`the table is ${folder}/table.md, every cell with its command ${folder}/results.tsv`);
    return counts.FAIL > 0 ? 1 : 0;
  }
}
