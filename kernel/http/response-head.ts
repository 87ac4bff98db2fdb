import type { ServerResponse } from 'node:http'
import type { HeaderMap } from './headers.ts'

/** Sets headers of taps of `request_received`, which the head of the response is going to meet. */
export function setHeaders(outgoing: ServerResponse, headers: HeaderMap): void {
  for (const [name, value] of headers) {
    if (name.toLowerCase() === 'set-cookie') outgoing.appendHeader(name, String(value))
    else outgoing.setHeader(name, value)
  }
}

/**
 * Writes status and headers, with those that `setHeaders` has set. Where both have a header, that of the response is sent;
 * but caches are told all that it depends on, and no cookie is lost, nor kept by a cache for others.
 * @param head names and values in turn
 */
export function writeHead(outgoing: ServerResponse, status: number, head: readonly string[]): void {
  const vary = outgoing.getHeader('Vary')
  const cookies = outgoing.getHeader('Set-Cookie')
  let merged = head
  if (vary !== undefined) merged = withValue(merged, 'Vary', (own) => joined(own, String(vary)))
  if (cookies !== undefined) {
    const lines = [cookies].flat().flatMap((cookie) => ['Set-Cookie', String(cookie)])
    merged = [...withValue(merged, 'Cache-Control', personal), ...lines]
  }
  outgoing.writeHead(status, merged as string[])
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
