import type { ServerResponse } from 'node:http'

/**
 * Adds the headers set by taps of `request_received` to the head of a response. Headers of the response take
 * precedence, but `Vary` lists the fields of both, and all cookies are sent, with a `Cache-Control` that keeps shared
 * caches from storing them.
 * @param head names and values, alternating
 */
export function headOf(outgoing: ServerResponse, head: string[]): string[] {
  const vary = outgoing.getHeader('Vary')
  const cookies = outgoing.getHeader('Set-Cookie')
  let merged = head
  if (vary !== undefined) merged = withValue(merged, 'Vary', (own) => joinLists(own, String(vary)))
  if (cookies !== undefined) {
    const lines = [cookies].flat().flatMap((cookie) => ['Set-Cookie', String(cookie)])
    merged = [...withValue(merged, 'Cache-Control', toPrivate), ...lines]
  }
  return merged
}

/**
 * Returns a head with a changed header. @param change maps the current value, or '' if the header is missing, to the
 * new one
 */
function withValue(head: readonly string[], name: string, change: (value: string) => string): string[] {
  const at = head.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name.toLowerCase())
  return at < 0 ? [...head, name, change('')] : head.with(at + 1, change(head[at + 1]!))
}

function joinLists(one: string, other: string): string {
  const names = [one, other].flatMap((list) => parseList(list))
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()].join(', ')
}

/** Returns a `Cache-Control` value that restricts caching to the client. */
function toPrivate(value: string): string {
  if (/\b(?:private|no-store)\b/i.test(value)) return value
  return ['private', ...parseList(value).filter((part) => !/^(?:public|s-maxage)\b/i.test(part))].join(', ')
}

const parseList = (value: string) => value.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
