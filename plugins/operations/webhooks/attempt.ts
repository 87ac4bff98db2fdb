import { cleanText, messageOf, RestError, type PluginContext } from '../../../kernel/index.ts'
import type { Asker } from '../../foundation/outgoing/index.ts'
import { signedHeaders } from './signature.ts'
import type { Endpoint } from './endpoints.ts'

/** Bytes of an answer that are read at most, and characters of it that are kept of one that refuses. */
const MOST_READ = 65_536
const MOST_KEPT = 200
/** Characters of the reason of a failure. */
const MOST_ERROR = 400
/** Answers by which a receiver says that it has too much to do. */
const OVERLOADED = new Set([429, 502, 503, 504])
/** Milliseconds that a receiver may ask to be left alone, at most. */
const LONGEST_PAUSE = 86_400_000

/** What came of one attempt. */
export interface Attempted {
  readonly isDelivered: boolean
  /** HTTP status; 0 without an answer. */
  readonly status: number
  /** Why it was not delivered; `''` where it was. */
  readonly error: string
  /** Whether the receiver never wants to hear of it again. */
  readonly isGone: boolean
  /** Milliseconds for which the receiver wants to be left alone; null where it does not say. */
  readonly retryAfter: number | null
}

/** What a request of this plugin may do. */
export interface AttemptOptions {
  /** Seconds. */
  readonly timeout: number
  readonly allow: readonly string[]
}

/** Sends messages, and says what came of it. */
export class Attempts {
  readonly #services: PluginContext['services']
  readonly #options: AttemptOptions

  constructor({ services }: PluginContext, options: AttemptOptions) {
    this.#services = services
    this.#options = options
  }

  /**
   * Sends a message once.
   * @param asker the user who tests the webhook; `site` for deliveries
   * @throws the reason of the signal
   */
  async send(endpoint: Endpoint, id: string, body: string, asker: Asker, signal?: AbortSignal): Promise<Attempted> {
    const { timeout, allow } = this.#options
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'svc-rest',
      ...signedHeaders(id, body, endpoint.secrets, Date.now()),
    }
    let answer: Attempted | null = null
    try {
      const response = await this.#services.outgoing.request(endpoint.url, {
        asker,
        method: 'POST',
        headers,
        body,
        timeout: timeout * 1000,
        size: MOST_READ,
        redirects: 0,
        allow,
        // Whoever tests it waits for the answer.
        background: signal !== undefined,
        ...(signal !== undefined && { signal }),
        // A body that is too long, or never ends, changes nothing of what the receiver has said.
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
  const said = cleanText(text.slice(0, MOST_KEPT)).replaceAll(/\s+/g, ' ').trim()
  return {
    isDelivered,
    status,
    error: isDelivered ? '' : `${answered(status)}${said === '' ? '' : `: ${said}`}`,
    isGone: status === 410,
    retryAfter: OVERLOADED.has(status) ? pauseOf(retryAfter) : null,
  }
}

const answered = (status: number) =>
  status >= 300 && status <= 399 ? `It answers ${status}, and redirects are not followed` : `It answers ${status}`

/** `Retry-After` in milliseconds, as seconds or as a date; null where it says nothing. */
function pauseOf(text: string | null): number | null {
  if (text === null) return null
  const milliseconds = /^\s*\d+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(milliseconds) ? null : Math.min(Math.max(milliseconds, 0), LONGEST_PAUSE)
}

function reasonOf(error: unknown): string {
  const code = error instanceof RestError ? `${error.code}: ` : ''
  return cleanText(`${code}${messageOf(error)}`).slice(0, MOST_ERROR)
}
