/** A time that is up to a fifth shorter or longer, so that many that begin together do not end together. */
export function jittered(time: number): number {
  return time * (0.8 + 0.4 * Math.random())
}
