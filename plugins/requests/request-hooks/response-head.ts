import type { ServerResponse } from 'node:http'

/**
 * Adds the headers of taps of `request_received` to the head of a response. Where both have a header, that of the response
 * is sent; but caches learn all that it depends on, and no cookie is lost, nor stored by a cache for other clients.
 * @param head names and values in turn
 */
export function headOf(outgoing: ServerResponse, head: string[]): string[] {
  const vary = outgoing.getHeader('Vary')
  const cookies = outgoing.getHeader('Set-Cookie')
  let merged = head
  if (vary !== undefined) merged = withValue(merged, 'Vary', (own) => joined(own, String(vary)))
  if (cookies !== undefined) {
    const lines = [cookies].flat().flatMap((cookie) => ['Set-Cookie', String(cookie)])
    merged = [...withValue(merged, 'Cache-Control', personal), ...lines]
  }
  return merged
}

/** A head in which a header has another value. @param change is given the value, '' where there is none */
function withValue(head: readonly string[], name: string, change: (value: string) => string): string[] {
  const at = head.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name.toLowerCase())
  return at < 0 ? [...head, name, change('')] : head.with(at + 1, change(head[at + 1]!))
}

function joined(one: string, other: string): string {
  const names = [one, other].flatMap((list) => listOf(list))
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()].join(', ')
}

/** A `Cache-Control` by which a response is kept for the client alone. */
function personal(value: string): string {
  if (/\b(?:private|no-store)\b/i.test(value)) return value
  return ['private', ...listOf(value).filter((part) => !/^(?:public|s-maxage)\b/i.test(part))].join(', ')
}

const listOf = (value: string) => value.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
