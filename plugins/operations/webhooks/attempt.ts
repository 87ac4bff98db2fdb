import { cleanText, messageOf, RestError, type PluginContext } from '../../../kernel/index.ts'
import type { Requester } from '../../foundation/outgoing/index.ts'
import { signedHeaders } from './signature.ts'
import type { Endpoint } from './endpoints.ts'

/** Bytes of a response that are read, and characters of an error response that are stored. */
const MAX_RESPONSE_BYTES = 65_536
const MAX_EXCERPT_LENGTH = 200
/** Maximum characters of an error. */
const MAX_ERROR_LENGTH = 400
/** Statuses with which a receiver reports overload. */
const OVERLOADED = new Set([429, 502, 503, 504])
/** Longest pause in milliseconds that a receiver can ask for. */
const MAX_PAUSE_MS = 86_400_000

/** The result of one attempt. */
export interface Attempted {
  readonly isDelivered: boolean
  /** HTTP status; 0 if there was no response. */
  readonly status: number
  /** Why it was not delivered; `''` if it was. */
  readonly error: string
  /** Whether the receiver responded 410 Gone. */
  readonly isGone: boolean
  /** Milliseconds the receiver asked to pause; null if it did not ask. */
  readonly retryAfter: number | null
}

/** Limits of webhook requests. */
export interface AttemptOptions {
  /** Seconds. */
  readonly timeout: number
  readonly allow: readonly string[]
}

/** Sends messages and returns the results. */
export class Attempts {
  readonly #services: PluginContext['services']
  readonly #options: AttemptOptions

  constructor({ services }: PluginContext, options: AttemptOptions) {
    this.#services = services
    this.#options = options
  }

  /**
   * Sends a message once.
   * @param requester the user who tests the webhook; `site` for deliveries
   * @throws the reason of the signal
   */
  async send(
    endpoint: Endpoint,
    id: string,
    body: string,
    requester: Requester,
    signal?: AbortSignal,
  ): Promise<Attempted> {
    const { timeout, allow } = this.#options
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'svc-rest',
      ...signedHeaders(id, body, endpoint.secrets, Date.now()),
    }
    let answer: Attempted | null = null
    try {
      const response = await this.#services.outgoing.request(endpoint.url, {
        requester,
        method: 'POST',
        headers,
        body,
        timeout: timeout * 1000,
        size: MAX_RESPONSE_BYTES,
        redirects: 0,
        allow,
        // A user is waiting for the result of a test.
        background: signal !== undefined,
        ...(signal !== undefined && { signal }),
        // A status counts as received even if the body is too long or never ends.
        onAnswer: (status, headers) => (answer = attempted(status, '', headers.get('retry-after'))),
      })
      const { status } = response
      return attempted(status, response.text(), response.headers.get('retry-after'))
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason
      return answer ?? { ...attempted(0, '', null), error: reasonOf(error) }
    }
  }
}

function attempted(status: number, text: string, retryAfter: string | null): Attempted {
  const isDelivered = status >= 200 && status <= 299
  const excerpt = cleanText(text.slice(0, MAX_EXCERPT_LENGTH)).replaceAll(/\s+/g, ' ').trim()
  return {
    isDelivered,
    status,
    error: isDelivered ? '' : `${answered(status)}${excerpt === '' ? '' : `: ${excerpt}`}`,
    isGone: status === 410,
    retryAfter: OVERLOADED.has(status) ? pauseOf(retryAfter) : null,
  }
}

const answered = (status: number) =>
  status >= 300 && status <= 399
    ? `The receiver responded ${status}; redirects are not followed`
    : `The receiver responded ${status}`

/** Parses `Retry-After`, in seconds or as a date. Returns milliseconds; null if it is missing or invalid. */
function pauseOf(text: string | null): number | null {
  if (text === null) return null
  const milliseconds = /^\s*\d+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(milliseconds) ? null : Math.min(Math.max(milliseconds, 0), MAX_PAUSE_MS)
}

function reasonOf(error: unknown): string {
  const code = error instanceof RestError ? `${error.code}: ` : ''
  return cleanText(`${code}${messageOf(error)}`).slice(0, MAX_ERROR_LENGTH)
}
