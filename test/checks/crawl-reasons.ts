/** A line of test/crawl-known.txt. */
export interface CrawlReason {
  readonly line: string
  /** What the key of a cluster starts with. */
  readonly start: string
  /** Matches the paths of the requests that the reason covers; null for all paths. */
  readonly paths: RegExp | null
}

/**
 * Parses lines of the form `start # reason` or `start # reason # paths`, where paths is a regular expression.
 * @throws {Error} if a line has no reason
 */
export function readReasons(text: string): CrawlReason[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [start = '', reason = '', paths] = line.split(' # ')
      if (start === '' || reason === '') throw new Error(`The line "${line}" has no reason.`)
      return { line, start, paths: paths === undefined ? null : new RegExp(paths) }
    })
}

/** Returns the first line that explains a difference, or undefined. @param path of the request, with its query */
export function reasonFor(reasons: readonly CrawlReason[], key: string, path: string): CrawlReason | undefined {
  return reasons.find(({ start, paths }) => key.startsWith(start) && (paths === null || paths.test(path)))
}
