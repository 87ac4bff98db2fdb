/** What happened to the things of one kind. */
export interface KindCount {
  imported: number
  /** They were on the site before, as after an earlier import of the same file. */
  alreadyHere: number
  /** How many did not come over, by the reason. */
  skipped: Record<string, number>
}

/** What an import did. */
export interface ImportReport {
  /** Home URL of the old site. */
  from: string
  /** Home URL of this site. */
  to: string
  /** By kind: `users`, `category terms`, `page items`, `comments`, `settings`, `files` … */
  counts: Record<string, KindCount>
  /** Sentences that say what is different now from the file, and why. */
  notes: string[]
  /** Bytes of the export file. */
  bytes: number
  seconds: number
}

/** At most this many examples behind a note. */
const MAX_EXAMPLES = 3

/** Counts while an import runs. */
export class Counters {
  readonly counts: Record<string, KindCount> = {}
  readonly #noted = new Map<string, { count: number; examples: string[] }>()

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

  /** Counts what was counted elsewhere. */
  add(kind: string, { imported, alreadyHere, skipped }: KindCount): void {
    this.imported(kind, imported)
    this.alreadyHere(kind, alreadyHere)
    for (const [reason, count] of Object.entries(skipped)) this.skipped(kind, reason, count)
  }

  /**
   * @param what what is different, and why; the same sentence is counted, not repeated
   * @param example what to look for
   */
  note(what: string, example = '', count = 1): void {
    const noted = this.#noted.get(what) ?? { count: 0, examples: [] }
    noted.count += count
    if (example !== '' && noted.examples.length < MAX_EXAMPLES)
      noted.examples.push(example.slice(0, 120).replace(/\s+/g, ' '))
    this.#noted.set(what, noted)
  }

  notes(): string[] {
    return [...this.#noted].map(([what, { count, examples }]) => {
      const more = count > examples.length ? ', …' : ''
      return `${count} × ${what}${examples.length > 0 ? ` (${examples.join(', ')}${more})` : ''}`
    })
  }

  #countOf(kind: string): KindCount {
    return (this.counts[kind] ??= { imported: 0, alreadyHere: 0, skipped: {} })
  }
}

/** The report as text, in lines. */
export function formatReport({ from, to, counts, notes, bytes, seconds }: ImportReport): string {
  const total = sumOf(Object.values(counts).map(({ imported }) => imported))
  const kinds = Object.entries(counts).sort(([one], [other]) => rank(one) - rank(other))
  const reasons = kinds.flatMap(([kind, { skipped }]) =>
    Object.entries(skipped).map(([reason, count]) => `  ${kind}: ${count} × ${reason}`),
  )
  const size = (bytes / 1_000_000).toFixed(1)
  return [
    `Imported ${total} things from ${from || 'the file'} to ${to} (${size} MB in ${seconds.toFixed(1)} s).`,
    '',
    ...tableOf(kinds),
    ...(reasons.length > 0 ? ['', 'Left out:', ...reasons] : []),
    ...(notes.length > 0 ? ['', 'Different from the file:', ...notes.map((note) => `  ${note}`)] : []),
  ].join('\n')
}

/** A line of headings and one for each kind. */
function tableOf(kinds: readonly (readonly [kind: string, count: KindCount])[]): string[] {
  const width = Math.max(10, ...kinds.map(([kind]) => kind.length))
  const line = (kind: string, imported: string | number, here: string | number, left: string | number) =>
    `  ${kind.padEnd(width)}  ${String(imported).padStart(8)}  ${String(here).padStart(12)}  ${String(left).padStart(8)}`
  return [
    line('', 'imported', 'already here', 'left out'),
    ...kinds.map(([kind, { imported, alreadyHere, skipped }]) =>
      line(kind, imported, alreadyHere, sumOf(Object.values(skipped))),
    ),
  ]
}

/** Where a kind stands in the report: users, terms, items, then comments and meta. */
function rank(kind: string): number {
  const place = [/^users$/, / terms$/, / items$/, /^comments$/, /^meta$/].findIndex((pattern) => pattern.test(kind))
  return place === -1 ? 9 : place
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
