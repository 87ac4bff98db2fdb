// Reasons for recorded answers of plugins that differ here.
import { readFile } from 'node:fs/promises'

/** A line `FOLDER: NAME OF THE ANSWER # reason # paths`. */
export interface KnownDifference {
  readonly line: string
  /** Folder of the recordings and name of the answer. */
  readonly key: string
  readonly reason: string
  /** Matches the paths in the response that may differ; null for the whole response. */
  readonly paths: RegExp | null
}

/** What the known lines of an answer say about its differences. */
export interface Verdict {
  /** `equal`; `not copied` if the answer differs only where the recorded one leaks data; else `different`. */
  readonly kind: 'equal' | 'not copied' | 'different'
  readonly reasons: readonly string[]
  /** Differences that no line explains. */
  readonly unexplained: readonly string[]
  /** Lines that explain a difference. */
  readonly used: readonly KnownDifference[]
}

/**
 * Parses known lines. The reason begins with a letter; a leak (L) needs the paths that the leaked data has.
 * @throws {Error} if a line has no reason, or if a leak has no paths
 */
export function parseKnown(text: string): KnownDifference[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [key = '', reason = '', paths] = line.split(' # ')
      if (!/^[LBDW]\b./.test(reason)) throw new Error(`The line "${line}" has no reason that begins with L, B, D or W.`)
      if (reason.startsWith('L') && paths === undefined)
        throw new Error(`The line "${line}" does not name the paths of the leaked data.`)
      return { line, key, reason, paths: paths === undefined ? null : new RegExp(`^(?:${paths})`) }
    })
}

/** Reads the known lines of a file. @throws {Error} see {@link parseKnown} */
export async function readKnown(file: string): Promise<KnownDifference[]> {
  return parseKnown(await readFile(file, 'utf8'))
}

/**
 * Compares the differences of an answer with its known lines.
 * @param key folder of the recordings and name of the answer
 * @param differences lines that begin with the path of a difference and a colon
 */
export function judge(known: readonly KnownDifference[], key: string, differences: readonly string[]): Verdict {
  const own = known.filter((line) => line.key === key)
  const used = new Set<KnownDifference>()
  const unexplained = differences.filter((difference) => {
    const line = own.find(({ paths }) => paths === null || paths.test(difference))
    if (line !== undefined) used.add(line)
    return line === undefined
  })
  const reasons = [...used].map(({ reason }) => reason)
  const isLeak = unexplained.length === 0 && reasons.every((reason) => reason.startsWith('L'))
  const kind = differences.length === 0 ? 'equal' : isLeak ? 'not copied' : 'different'
  return { kind, reasons, unexplained, used: [...used] }
}
