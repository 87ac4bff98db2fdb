import type { Change, NewChange } from './changes/change.ts'

/** First character of the stored form: names of types consist of letters, digits, hyphens and underscores. */
const MARK = '~'

/** Columns that hold names of content types and taxonomies. */
const COLUMNS = ['type', 'taxonomy', 'post_type', 'subtype'] as const
export const NAME_COLUMNS: ReadonlySet<string> = new Set(COLUMNS)

/** Beginnings of tags that are followed by the name of a content type or a taxonomy. */
const TAGS_BEFORE_NAMES = ['', 'unpublished:']
  .flatMap((prefix) => [`${prefix}posts:type=`, `${prefix}posts:`])
  .concat('terms:taxonomy=')

/**
 * Converts names of content types and taxonomies between the form that the program uses, which begins with the word of
 * the site (`svc_block`), and the stored form, which is the same for every word (`~block`). The store
 * converts the columns of `NAME_COLUMNS` in queries and rows; code that stores names elsewhere, such as in JSON,
 * converts them itself.
 */
export class StoredNames {
  readonly #prefix: string

  /** @param word word of the site; '' to read and write the stored form */
  constructor(word: string) {
    this.#prefix = word === '' ? '' : `${word}_`
  }

  /** Whether the stored form of a value can differ from it. */
  differs(value: unknown): value is string {
    return this.#prefix !== '' && typeof value === 'string' && (value.startsWith(this.#prefix) || value[0] === MARK)
  }

  /** Returns the stored form of a name. */
  toStored(name: string): string {
    if (!this.differs(name)) return name
    return MARK + (name[0] === MARK ? name : name.slice(this.#prefix.length))
  }

  /** Returns the name of a stored form. */
  toName(stored: string): string {
    if (this.#prefix === '' || stored[0] !== MARK) return stored
    return stored[1] === MARK ? stored.slice(1) : this.#prefix + stored.slice(1)
  }

  /** Converts the columns of names of stored rows in place, and returns the rows. */
  convertRows(rows: Record<string, unknown>[]): Record<string, unknown>[] {
    for (const row of rows) this.convertRow(row)
    return rows
  }

  /** Converts the columns of names of a stored row in place, and returns the row. */
  convertRow<R extends Record<string, unknown> | undefined>(row: R): R {
    if (row === undefined) return row
    for (let index = 0; index < COLUMNS.length; index += 1) {
      const column = COLUMNS[index]!
      const value = row[column]
      if (typeof value === 'string' && value[0] === MARK) row[column] = this.toName(value)
    }
    return row
  }

  /** Converts the tag of a list, which can contain a name. */
  toStoredTag(tag: string): string {
    return convertTag(tag, (name) => this.toStored(name))
  }

  /** Converts the names in a stored change. */
  toChange<C extends Change | NewChange>(stored: C): C {
    const toName = (name: string) => this.toName(name)
    const factsOf = (facts: Change['before']) =>
      typeof facts?.['type'] === 'string' ? { ...facts, type: this.toName(facts['type']) } : facts
    return {
      ...stored,
      type: this.toName(stored.type),
      tags: stored.tags.map((tag) => convertTag(tag, toName)),
      before: factsOf(stored.before),
      after: factsOf(stored.after),
    }
  }
}

function convertTag(tag: string, convert: (name: string) => string): string {
  const beginning = TAGS_BEFORE_NAMES.find((one) => tag.startsWith(one))
  return beginning === undefined ? tag : beginning + convert(tag.slice(beginning.length))
}
