import diff from 'microdiff'
import { HeaderMap, RestResponse, type SitePage } from '../../../kernel/index.ts'
import { stringifyWithoutSecrets } from '../../library/secrets/index.ts'

/** A value that a tap changed: JSON texts without secrets; null for nothing. */
export interface Change {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

/** What a tap is given that it may change, as it was at some moment. */
export type Snapshot = Readonly<Record<string, unknown>>

const MOST_CHANGES = 20
/** Characters of a value. */
const MOST_TEXT = 2000

/** What a tap is given that it may change: the value, and the response that comes along. */
export function snapshotOf(value: unknown, args: readonly unknown[]): Snapshot {
  const along = args
    .map((arg) => (arg as { response?: unknown } | null | undefined)?.response ?? arg)
    .find((arg) => arg instanceof RestResponse)
  if (along === undefined || value instanceof RestResponse) return { value: copyOf(value) }
  return { value: copyOf(value), response: copyOf(along) }
}

/** What is different, and how much of it is not listed. */
export function changesBetween(before: Snapshot, after: Snapshot): { changed: Change[]; unlisted: number } {
  const found = diff(before, after)
  const changed = found.slice(0, MOST_CHANGES).map((change) => {
    const [of, ...inner] = change.path
    const path = [...(of === 'value' ? [] : [of]), ...inner].join('.') || '(value)'
    return {
      path,
      before: 'oldValue' in change ? textOf(change.oldValue) : null,
      after: 'value' in change ? textOf(change.value) : null,
    }
  })
  return { changed, unlisted: found.length - changed.length }
}

/** A text without its secrets, and not longer than so many characters. */
export function shownText(text: string, most: number): string {
  return cut(JSON.parse(stringifyWithoutSecrets(text)!) as string, most)
}

export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}

function textOf(value: unknown): string | null {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? null : cut(text, MOST_TEXT)
}

/** A value as it would be written, without its secrets: a copy, so that what a tap changes in place shows. */
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
        ? // What a page says may be a secret as a whole: a nonce, a form with one.
          { status: value.status, headers: Object.fromEntries(value.headers), body: typeof value.body }
        : value
  try {
    return JSON.parse(stringifyWithoutSecrets(shown ?? null) ?? 'null') as unknown
  } catch {
    // Not every value can be written: those of start-up hooks are classes and servers.
    return null
  }
}

function isPage(value: unknown): value is SitePage {
  return (value as Partial<SitePage> | null)?.headers instanceof HeaderMap && 'body' in (value as object)
}
