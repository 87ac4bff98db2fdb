import type { OutgoingResponse } from '../../../foundation/outgoing/index.ts'
import { phrase, PhraseError, type ReportPhrase, type ReportReason } from '../phrases.ts'
import { objectOf, text } from './values.ts'

/** A successful response of the old site. */
export interface OldResponse {
  readonly body: unknown
  /** Number of objects of a list; null if the old site does not state it. */
  readonly total: number | null
  readonly header: (name: string) => string | null
  /** Whether the server printed messages of PHP before the JSON. */
  readonly hasNoise: boolean
}

/**
 * Why a route of the old site cannot be read. `rights`: the user lacks a capability; `missing`: the route does not
 * exist; `invalid`: it rejects the arguments, or the response is not valid; `failing`: it failed repeatedly.
 */
export class RouteFailure extends PhraseError {
  readonly kind: 'rights' | 'missing' | 'invalid' | 'failing'
  /** Status of the response; 0 if there was none. */
  readonly status: number
  /** Error code of the REST API, such as `rest_forbidden`. */
  readonly code: string

  constructor(kind: RouteFailure['kind'], said: ReportPhrase | ReportReason, status = 0, code = '') {
    super(said)
    this.kind = kind
    this.status = status
    this.code = code
  }
}

/** Characters of a response that a reason contains. */
const MAX_REASON_LENGTH = 160

/**
 * Reads a response of the old site.
 * @param totalHeader name of the header with the number of objects
 * @throws RouteFailure
 */
export function readResponse(response: OutgoingResponse, totalHeader: string): OldResponse {
  const { status, headers } = response
  const read = parseJson(response.text())
  if (status < 200 || status > 299) throw failureOf(status, read?.value)
  if (read === null) throw new RouteFailure('invalid', describeBody(response), status)
  const total = headers.get(totalHeader)
  return {
    body: read.value,
    total: total !== null && /^\d{1,12}$/.test(total) ? Number(total) : null,
    header: (name) => headers.get(name),
    hasNoise: read.hasNoise,
  }
}

/** Parses JSON, also after messages that PHP printed before it. Returns null for other texts. */
function parseJson(body: string): { value: unknown; hasNoise: boolean } | null {
  const trimmed = body.replace(/^\ufeff/, '').trim()
  const value = tryParse(trimmed)
  if (value !== undefined) return { value, hasNoise: false }
  // Messages end in a line break or a tag. JSON with text after it is not accepted.
  const last = trimmed.at(-1)
  if (last !== ']' && last !== '}') return null
  const start = trimmed.search(/(?:^|[\n>])[[{](?=["[{\]}])/)
  if (start === -1) return null
  const rest = tryParse(trimmed.slice(/[[{]/.test(trimmed[start]!) ? start : start + 1))
  return rest === undefined ? null : { value: rest, hasNoise: true }
}

function tryParse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined
  }
}

function failureOf(status: number, body: unknown): RouteFailure {
  const { code, message } = objectOf(body)
  const words = reportText(text(message))
  const said =
    words === ''
      ? phrase('status {status}', { status })
      : phrase('status {status}: {message}', { status, message: words })
  const kind =
    status === 401 || status === 403
      ? 'rights'
      : status === 404
        ? 'missing'
        : status >= 400 && status < 500 && status !== 429 && status !== 408
          ? 'invalid'
          : 'failing'
  return new RouteFailure(kind, said, status, text(code))
}

function describeBody(response: OutgoingResponse): ReportPhrase | ReportReason {
  const start = response.text().slice(0, 2000).trim()
  if (start === '') return 'the response is empty'
  if (start.startsWith('<')) {
    return 'the response is HTML instead of JSON, such as a login or maintenance page or the page of a firewall'
  }
  return phrase('the response is not JSON: {start}', { start: reportText(start) })
}

/** Returns a short text without tags and control characters, to be shown in a report. */
export function reportText(words: string): string {
  const short = words
    .slice(0, 1000)
    .replace(/<[^<>]*>/g, '')
    // oxlint-disable-next-line no-control-regex -- texts of a stranger are printed on terminals
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
  return short.length > MAX_REASON_LENGTH ? `${short.slice(0, MAX_REASON_LENGTH).toWellFormed()}…` : short
}
