import { NOTES, type NoteGroup } from './notes.ts'
import {
  inEnglish,
  type NoteAdvice,
  type NoteText,
  type ReportPhrase,
  type PhraseValues,
  type ReportReason,
} from './phrases.ts'
import { REPAIRS, type Repair, type RepairCode } from './repairs.ts'

/** Results for the objects of one kind. */
export interface KindCount {
  imported: number
  /** Objects that the site already had, for example from an earlier import of the same file. */
  alreadyHere: number
  /** Objects of an earlier import that this one has changed, because the file gives another result. */
  updated?: number
  /** Number of objects that were not imported, by reason. */
  skipped: Record<string, number>
  /** The reasons with values, for translations. */
  phrases?: Record<string, ReportPhrase>
}

/** The result of an import. */
export interface ImportReport {
  /** Home URL of the old site. */
  from: string
  /** Home URL of this site. */
  to: string
  /** By kind: `users`, `category terms`, `page items`, `comments`, `settings`, `files` … */
  counts: Record<string, KindCount>
  /** Differences between the source and the imported data, with reasons. */
  notes: ImportNote[]
  /** Repairs of the source with their places, at most 1,000; the notes count all of them. */
  repairs: Repair[]
  /** WordPress plugins whose data the import found. */
  plugins: ReportedPlugin[]
  /** Names of data that are stored, but that no plugin serves. */
  unserved: FoundName[]
  /** Bytes of the export file. */
  bytes: number
  seconds: number
}

/** A name of data in an import: a content type, a taxonomy, a meta key, … A name with `*` stands for all that begin so. */
export interface FoundName {
  kind: 'type' | 'taxonomy' | 'meta' | 'option' | 'shortcode' | 'block'
  name: string
  /** Number of items, terms, values or uses. */
  count: number
}

/** A WordPress plugin whose data an import found. */
export interface ReportedPlugin {
  name: string
  /** Optional plugins of this site that serve the data; empty if none does. */
  servedBy: string[]
  /** The plugins among them that this import switched on. */
  switchedOn: string[]
  names: FoundName[]
}

/** A kind of difference between the source and the imported data. */
export interface ImportNote {
  group: NoteGroup
  /** The difference and its reason, with values in braces. */
  text: NoteText
  values: PhraseValues
  count: number
  /** At most 3 texts of the source to search for. */
  examples: string[]
  /** What the owner can do, as a sentence. */
  advice?: NoteAdvice
}

/** Maximum number of examples per note. */
const MAX_EXAMPLES = 3
const MAX_EXAMPLE_LENGTH = 120
/** Maximum number of repairs in a report. */
const MAX_REPAIRS = 1000
/** The order of the groups in a report, and their headings. */
const GROUPS: Readonly<Record<NoteGroup, string>> = {
  lost: 'Lost:',
  todo: 'To do:',
  changed: 'Changed:',
  repaired: 'Repaired:',
}

/** Collects the counts and notes of an import. */
export class Counters {
  readonly counts: Record<string, KindCount> = {}
  readonly #notes = new Map<string, ImportNote>()
  readonly #repairs: Repair[] = []

  imported(kind: string, count = 1): void {
    this.#countOf(kind).imported += count
  }

  alreadyHere(kind: string, count = 1): void {
    this.#countOf(kind).alreadyHere += count
  }

  updated(kind: string, count = 1): void {
    const counts = this.#countOf(kind)
    counts.updated = (counts.updated ?? 0) + count
  }

  skipped(kind: string, reason: ReportReason | ReportPhrase, count = 1): void {
    addSkipped(this.#countOf(kind), reason, count)
  }

  /** Adds counts collected elsewhere. */
  add(kind: string, { imported, alreadyHere, skipped, phrases }: KindCount): void {
    this.imported(kind, imported)
    this.alreadyHere(kind, alreadyHere)
    for (const [reason, count] of Object.entries(skipped)) this.skipped(kind, phraseIn(phrases, reason), count)
  }

  /**
   * Adds a note.
   * @param text the difference and its reason; repeated notes are counted
   * @param example a text to search for
   * @param values the values of the placeholders
   */
  note(text: NoteText, example = '', count = 1, values: PhraseValues = {}): void {
    const key = JSON.stringify([text, values])
    const note = this.#notes.get(key) ?? { ...noteKind(text), text, values, count: 0, examples: [] }
    note.count += count
    if (example !== '' && note.examples.length < MAX_EXAMPLES)
      note.examples.push(example.slice(0, MAX_EXAMPLE_LENGTH).replace(/\s+/g, ' '))
    this.#notes.set(key, note)
  }

  /** Adds a repair of the source. */
  repaired(code: RepairCode, repair: Omit<Repair, 'code'>): void {
    const { value = '' } = repair
    const short = value.slice(0, MAX_EXAMPLE_LENGTH).replace(/\s+/g, ' ')
    if (this.#repairs.length < MAX_REPAIRS)
      this.#repairs.push({ code, ...repair, ...(value !== '' && { value: short }) })
    const place = placeOf(repair)
    this.note(REPAIRS[code], value === '' ? place : `${place}: ${value}`)
  }

  /** Returns the report of what was collected. */
  results(): Omit<ImportReport, 'from' | 'to' | 'bytes' | 'seconds'> {
    return { counts: this.counts, notes: [...this.#notes.values()], repairs: this.#repairs, plugins: [], unserved: [] }
  }

  #countOf(kind: string): KindCount {
    return (this.counts[kind] ??= { imported: 0, alreadyHere: 0, skipped: {} })
  }
}

/** Returns the group and the advice of a note. */
function noteKind(text: NoteText): { group: NoteGroup; advice?: NoteAdvice } {
  return text in NOTES ? NOTES[text as keyof typeof NOTES] : { group: 'repaired' }
}

/** Returns the place of a repair: `posts.xml, line 12, A title`. */
export function placeOf({ file = '', line, item }: Omit<Repair, 'code'>): string {
  return [file, line === undefined ? '' : `line ${line}`, item].filter((part) => part !== '').join(', ')
}

/** Counts skipped objects. */
export function addSkipped(
  counts: Pick<KindCount, 'skipped' | 'phrases'>,
  reason: ReportReason | ReportPhrase,
  count: number,
): void {
  const text = inEnglish(reason)
  counts.skipped[text] = (counts.skipped[text] ?? 0) + count
  if (typeof reason === 'object' && reason.text !== text) (counts.phrases ??= {})[text] = reason
}

/** Returns a reason as a phrase. @param phrases the reasons with values by their English sentences */
export function phraseIn(phrases: KindCount['phrases'], reason: string): ReportPhrase {
  return phrases?.[reason] ?? { text: reason as ReportReason }
}

/** Formats a note as a line of text: `3 × difference; reason (example, example, …)`. */
export function formatNote({ count, examples, advice, ...said }: ImportNote): string {
  const sentence = inEnglish(said)
  const shown = `${examples.join(', ')}${count > examples.length ? ', …' : ''}`
  return `${count} × ${sentence}${examples.length > 0 ? ` (${shown})` : ''}${advice === undefined ? '' : `. ${advice}`}`
}

/** The notes of a report as lines of text. */
export const noteLines = ({ notes }: Pick<ImportReport, 'notes'>): string[] => notes.map(formatNote)

/** Formats the report as lines of text. */
export function formatReport({ from, to, counts, notes, bytes, seconds, plugins, unserved }: ImportReport): string {
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
    ...Object.entries(GROUPS).flatMap(([group, heading]) => {
      const lines = notes.filter((note) => note.group === group).map((note) => `  ${formatNote(note)}`)
      return lines.length > 0 ? ['', heading, ...lines] : []
    }),
    ...section('Data of WordPress plugins:', plugins.map(formatPlugin)),
    ...section('Stored, but not served by any plugin of this site:', unserved.map(formatFound)),
  ].join('\n')
}

function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', heading, ...lines.map((line) => `  ${line}`)]
}

/** Formats a plugin as a line of text: its name, what serves its data, and the data. */
function formatPlugin({ name, servedBy, switchedOn, names }: ReportedPlugin): string {
  const off = servedBy.filter((one) => !switchedOn.includes(one))
  const state = [
    ...(servedBy.length === 0 ? ['stored, but not served'] : []),
    ...(switchedOn.length > 0 ? [`switched on ${switchedOn.join(', ')}`] : []),
    ...(off.length > 0 ? [`served by ${off.join(', ')}`] : []),
  ]
  return `${name}: ${state.join('; ')} (${names.map(formatFound).join(', ')})`
}

function formatFound({ kind, name, count }: FoundName): string {
  return `${kind} ${name}: ${count}`
}

/** The table of counts: a heading, and one line per kind. */
function tableOf(kinds: readonly (readonly [kind: string, count: KindCount])[]): string[] {
  const width = Math.max(10, ...kinds.map(([kind]) => kind.length))
  const hasUpdates = kinds.some(([, { updated = 0 }]) => updated > 0)
  const line = (kind: string, imported: Cell, updated: Cell, existing: Cell, left: Cell) => {
    const shown = hasUpdates ? `  ${String(updated).padStart(8)}` : ''
    return `  ${kind.padEnd(width)}  ${String(imported).padStart(8)}${shown}  ${String(existing).padStart(12)}  ${String(left).padStart(8)}`
  }
  return [
    line('', 'imported', 'updated', 'already here', 'skipped'),
    ...kinds.map(([kind, { imported, updated = 0, alreadyHere, skipped }]) =>
      line(kind, imported, updated, alreadyHere, sumOf(Object.values(skipped))),
    ),
  ]
}

type Cell = string | number

/** Position of a kind in the report: users, terms, items, then comments and meta. */
function rank(kind: string): number {
  const place = [/^users$/, / terms$/, / items$/, /^comments$/, /^meta$/].findIndex((pattern) => pattern.test(kind))
  return place === -1 ? 9 : place
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
