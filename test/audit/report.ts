import { markdownTable } from '../bench/table.ts'

/** How many broken things of one line are told in full. */
const TOLD = 20

/** A line of the report: what was tried, how often, and what broke. */
export interface Line {
  /** The kind of trial: `fuzz`, `kill`, … */
  readonly kind: string
  readonly what: string
  times: number
  /** Each thing that broke, with what repeats it. */
  readonly broken: string[]
  /** What was measured beside it: the longest wait, the memory. */
  note: string
}

/** What an audit found, line by line. */
export class Report {
  readonly lines: Line[] = []

  /** Begins a line. */
  line(kind: string, what: string): Line {
    const line: Line = { kind, what, times: 0, broken: [], note: '' }
    this.lines.push(line)
    return line
  }

  get broken(): string[] {
    return this.lines.flatMap(({ kind, what, broken }) => broken.map((text) => `${kind}, ${what}: ${text}`))
  }

  /** The table, and below it what broke. `markdown` leaves the latter out, for the guide. */
  toText(markdown: boolean): string {
    const rows = this.lines.map(({ kind, what, times, broken, note }) => [
      kind,
      what,
      times.toLocaleString('en-US'),
      String(broken.length),
      note,
    ])
    const table = markdownTable(['trial', 'what was tried', 'times', 'broken', 'measured'], rows)
    if (markdown) return table
    const told = this.lines.flatMap(({ kind, what, broken }) => {
      const more = broken.length > TOLD ? [`… and ${broken.length - TOLD} more of it`] : []
      return [...broken.slice(0, TOLD), ...more].map((text) => `${kind}, ${what}: ${text}`)
    })
    return [table, ...told.map((text) => `\n${text}`)].join('\n')
  }
}
