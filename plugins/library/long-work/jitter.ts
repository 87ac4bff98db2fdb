/**
 * Returns a time that is randomly up to 20% shorter or longer, so that timers that start together do not end together.
 */
export function jittered(time: number): number {
  return time * (0.8 + 0.4 * Math.random())
}
