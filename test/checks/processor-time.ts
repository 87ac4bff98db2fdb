import { readFileSync } from 'node:fs'

/** Clock ticks per second of `/proc`: every Linux that Node supports has 100. */
const TICKS_PER_SECOND = 100

/**
 * Returns the seconds of processor time of this process and its exited child processes. Null on systems without
 * `/proc`.
 */
export function processorSeconds(): number | null {
  let stat: string
  try {
    stat = readFileSync('/proc/self/stat', 'utf8')
  } catch {
    return null
  }
  // The name of the program, in parentheses, may contain spaces; utime, stime, cutime and cstime are fields 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
}
