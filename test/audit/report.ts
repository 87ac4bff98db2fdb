import { markdownTable } from '../bench/table.ts'

/** Maximum number of problems of one line that are printed. */
const MAX_PRINTED_PROBLEMS = 20

/** A line of the report: a trial, its number of repetitions, and its problems. */
export interface Line {
  /** The kind of trial: `fuzz`, `kill`, … */
  readonly kind: string
  readonly title: string
  times: number
  /** The problems, each with a way to repeat it. */
  readonly broken: string[]
  /** Additional measurements: the longest wait, the memory. */
  note: string
}

/** The results of an audit. */
export class Report {
  readonly lines: Line[] = []

  /** Adds a line. */
  line(kind: string, title: string): Line {
    const line: Line = { kind, title, times: 0, broken: [], note: '' }
    this.lines.push(line)
    return line
  }

  get broken(): string[] {
    return this.lines.flatMap(({ kind, title, broken }) => broken.map((text) => `${kind}, ${title}: ${text}`))
  }

  /** Returns the table followed by the problems. `markdown` returns only the table, for the guide. */
  toText(markdown: boolean): string {
    const rows = this.lines.map(({ kind, title, times, broken, note }) => [
      kind,
      title,
      times.toLocaleString('en-US'),
      String(broken.length),
      note,
    ])
    const table = markdownTable(['trial', 'attack', 'times', 'broken', 'measured'], rows)
    if (markdown) return table
    const problems = this.lines.flatMap(({ kind, title, broken }) => {
      const more =
        broken.length > MAX_PRINTED_PROBLEMS ? [`… and ${broken.length - MAX_PRINTED_PROBLEMS} more of it`] : []
      return [...broken.slice(0, MAX_PRINTED_PROBLEMS), ...more].map((text) => `${kind}, ${title}: ${text}`)
    })
    return [table, ...problems.map((text) => `\n${text}`)].join('\n')
  }
}
