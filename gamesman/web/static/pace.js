// How long something will go on, by how fast it has gone: nothing is said of that before there is a rate.

const FEWEST_SECONDS = 1;

export class Pace {
  // Returns the seconds that a phase still takes, null where nobody knows; what was done before it was looked at does not count.
  left({ phase, done, total, seconds }) {
    if (phase !== this.first?.phase || !this.first.done) this.first = { phase, done, seconds };
    const made = done - this.first.done, took = seconds - this.first.seconds;
    return total && made > 0 && took >= FEWEST_SECONDS ? (took * (total - done)) / made : null;
  }
}
