import { REPAIRS, type Repair, type RepairCode } from './repairs.ts'

/** Results for the objects of one kind. */
export interface KindCount {
  imported: number
  /** Objects that the site already had, for example from an earlier import of the same file. */
  alreadyHere: number
  /** Number of objects that were not imported, by reason. */
  skipped: Record<string, number>
}

/** The result of an import. */
export interface ImportReport {
  /** Home URL of the old site. */
  from: string
  /** Home URL of this site. */
  to: string
  /** By kind: `users`, `category terms`, `page items`, `comments`, `settings`, `files` … */
  counts: Record<string, KindCount>
  /** Differences between the file and the imported data, with reasons. */
  notes: string[]
  /** Bytes of the export file. */
  bytes: number
  seconds: number
}

/** Maximum number of examples per note. */
const MAX_EXAMPLES = 3

/** Collects the counts and notes of an import. */
export class Counters {
  readonly counts: Record<string, KindCount> = {}
  readonly #entries = new Map<string, { count: number; examples: string[] }>()

  imported(kind: string, count = 1): void {
    this.#countOf(kind).imported += count
  }

  alreadyHere(kind: string, count = 1): void {
    this.#countOf(kind).alreadyHere += count
  }

  skipped(kind: string, reason: string, count = 1): void {
    const { skipped } = this.#countOf(kind)
    skipped[reason] = (skipped[reason] ?? 0) + count
  }

  /** Adds counts collected elsewhere. */
  add(kind: string, { imported, alreadyHere, skipped }: KindCount): void {
    this.imported(kind, imported)
    this.alreadyHere(kind, alreadyHere)
    for (const [reason, count] of Object.entries(skipped)) this.skipped(kind, reason, count)
  }

  /**
   * Adds a note.
   * @param difference the difference and its reason; repeated notes are counted
   * @param example an example to search for
   */
  note(difference: string, example = '', count = 1): void {
    const note = this.#entries.get(difference) ?? { count: 0, examples: [] }
    note.count += count
    if (example !== '' && note.examples.length < MAX_EXAMPLES)
      note.examples.push(example.slice(0, 120).replace(/\s+/g, ' '))
    this.#entries.set(difference, note)
  }

  /**
   * Adds a repair of a file or of one of its values.
   * @param place file, line and record of the repair, and the repaired value
   */
  repaired(code: RepairCode, { file, line, item, value = '' }: Omit<Repair, 'code'>): void {
    const where = [file ?? '', line === undefined ? '' : `line ${line}`, item].filter((part) => part !== '').join(', ')
    this.note(REPAIRS[code], value === '' ? where : `${where}: ${value}`)
  }

  notes(): string[] {
    return [...this.#entries].map(([difference, { count, examples }]) => {
      const more = count > examples.length ? ', …' : ''
      return `${count} × ${difference}${examples.length > 0 ? ` (${examples.join(', ')}${more})` : ''}`
    })
  }

  #countOf(kind: string): KindCount {
    return (this.counts[kind] ??= { imported: 0, alreadyHere: 0, skipped: {} })
  }
}

/** Formats the report as lines of text. */
export function formatReport({ from, to, counts, notes, bytes, seconds }: ImportReport): string {
  const total = sumOf(Object.values(counts).map(({ imported }) => imported))
  const kinds = Object.entries(counts).sort(([one], [other]) => rank(one) - rank(other))
  const reasons = kinds.flatMap(([kind, { skipped }]) =>
    Object.entries(skipped).map(([reason, count]) => `  ${kind}: ${count} × ${reason}`),
  )
  const size = (bytes / 1_000_000).toFixed(1)
  return [
    `Imported ${total} objects from ${from || 'the file'} to ${to} (${size} MB in ${seconds.toFixed(1)} s).`,
    '',
    ...tableOf(kinds),
    ...(reasons.length > 0 ? ['', 'Skipped:', ...reasons] : []),
    ...(notes.length > 0 ? ['', 'Changed during the import:', ...notes.map((note) => `  ${note}`)] : []),
  ].join('\n')
}

/** The table of counts: a heading, and one line per kind. */
function tableOf(kinds: readonly (readonly [kind: string, count: KindCount])[]): string[] {
  const width = Math.max(10, ...kinds.map(([kind]) => kind.length))
  const line = (kind: string, imported: string | number, existing: string | number, left: string | number) =>
    `  ${kind.padEnd(width)}  ${String(imported).padStart(8)}  ${String(existing).padStart(12)}  ${String(left).padStart(8)}`
  return [
    line('', 'imported', 'already here', 'skipped'),
    ...kinds.map(([kind, { imported, alreadyHere, skipped }]) =>
      line(kind, imported, alreadyHere, sumOf(Object.values(skipped))),
    ),
  ]
}

/** Position of a kind in the report: users, terms, items, then comments and meta. */
function rank(kind: string): number {
  const place = [/^users$/, / terms$/, / items$/, /^comments$/, /^meta$/].findIndex((pattern) => pattern.test(kind))
  return place === -1 ? 9 : place
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
