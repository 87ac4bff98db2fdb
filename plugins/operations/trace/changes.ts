import diff from 'microdiff'
import { HeaderMap, RestResponse, type SitePage } from '../../../kernel/index.ts'
import { stringifyWithoutSecrets } from '../../library/secrets/index.ts'

/** A value that a tap changed, before and after as JSON without secrets; null for an absent value. */
export interface Change {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

/** The values that a tap can change, at one moment. */
export type Snapshot = Readonly<Record<string, unknown>>

const MAX_CHANGES = 20
/** Characters of a value. */
const MAX_VALUE_LENGTH = 2000

/** Copies the values that a tap can change: the filtered value, and a response among its arguments. */
export function snapshotOf(value: unknown, args: readonly unknown[]): Snapshot {
  const response = args
    .map((arg) => (arg as { response?: unknown } | null | undefined)?.response ?? arg)
    .find((arg) => arg instanceof RestResponse)
  if (response === undefined || value instanceof RestResponse) return { value: copyOf(value) }
  return { value: copyOf(value), response: copyOf(response) }
}

/** The differences between two snapshots, up to the limit, and the number of the others. */
export function changesBetween(before: Snapshot, after: Snapshot): { changed: Change[]; unlisted: number } {
  const differences = diff(before, after)
  const changed = differences.slice(0, MAX_CHANGES).map((change) => {
    const [of, ...inner] = change.path
    const path = [...(of === 'value' ? [] : [of]), ...inner].join('.') || '(value)'
    return {
      path,
      before: 'oldValue' in change ? textOf(change.oldValue) : null,
      after: 'value' in change ? textOf(change.value) : null,
    }
  })
  return { changed, unlisted: differences.length - changed.length }
}

/** Masks secrets in a text, and cuts it to a maximum number of characters. */
export function maskedText(text: string, maxLength: number): string {
  return truncate(JSON.parse(stringifyWithoutSecrets(text)!) as string, maxLength)
}

export function truncate(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

function textOf(value: unknown): string | null {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? null : truncate(text, MAX_VALUE_LENGTH)
}

/** A serializable copy of a value without its secrets, so that changes in place can be detected. */
function copyOf(value: unknown): unknown {
  const shown =
    value instanceof RestResponse
      ? {
          status: value.status,
          headers: Object.fromEntries(value.headers),
          data: value.data,
          links: Object.fromEntries(value.links),
        }
      : isPage(value)
        ? // The body of a page may be a secret as a whole: a nonce, or a form that contains one.
          { status: value.status, headers: Object.fromEntries(value.headers), body: typeof value.body }
        : value
  try {
    return JSON.parse(stringifyWithoutSecrets(shown ?? null) ?? 'null') as unknown
  } catch {
    // Not every value can be serialized: start-up hooks pass classes and servers.
    return null
  }
}

function isPage(value: unknown): value is SitePage {
  return (value as Partial<SitePage> | null)?.headers instanceof HeaderMap && 'body' in (value as object)
}
