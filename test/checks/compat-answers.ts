// Sends recorded requests and compares the responses.
import { createHmac } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'

/** A recorded request with its response. `status` is 0 for facts that are not responses. */
export interface Answer {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly as?: keyof typeof LOGINS | 'anonymous'
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>> | readonly (readonly [string, string])[]
  readonly multipart?: readonly (readonly [string, string | { filename: string; type?: string; content: string }])[]
  readonly raw?: string
  readonly request_headers?: Readonly<Record<string, string>>
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly body_text?: string
}

const LOGINS = {
  admin: 'ada-admin',
  editor: 'eddie-editor',
  author: 'arthur-author',
  subscriber: 'sue-subscriber',
} as const
/** Password of every account. */
export const PASSWORD = 'a recorded password'
/** Application password of every account. */
export const APPLICATION_PASSWORD = 'abcdEFGHijklMNOPqrstUVWX'
/** Key of the tokens that the recorded requests send. */
export const JWT_SECRET = 'a recorded secret of at least thirty-two characters'
const HEADERS = ['content-type', 'allow', 'link', 'location', 'x-wp-total', 'x-wp-totalpages', 'cache-control'] as const
/** A placeholder in a recorded text, which stands for any text. */
const PLACEHOLDER = /\{\{(?!home\}\})[\w-]+\}\}/
/** An image in a URL, also in JSON. */
const INLINE_IMAGE = /data:image\\?\/[a-z+]+;base64,(?:[\w+=]|\\?\/)*/g
/** Path of the uploads of the recorded site. */
const RECORDED_UPLOADS = '/wp-content/uploads/'
const DAY_S = 86_400

/** Plays the answers of one recorded plugin in order. */
export class AnswerPlayer {
  readonly #home: string
  /** The ID on this site of each object that a recorded request created. */
  readonly #ids = new Map<number, number>()
  /** The ID on this site of terms of a recorded site that changed them. Paths contain IDs of the export. */
  readonly #terms = new Map<number, number>()
  /** Values of placeholders that responses set. */
  readonly #saved = new Map<string, string>()

  /** @param home URL of the served site */
  constructor(home: string) {
    this.#home = home
  }

  /**
   * Notes the IDs of terms, which an import into the recorded site has changed.
   * @param recorded ID on the recorded site by the ID in the export, which the term has here
   */
  mapTerms(recorded: Readonly<Record<string, number | string>>): void {
    for (const [id, theirs] of Object.entries(recorded)) this.#terms.set(Number(theirs), Number(id))
  }

  /**
   * Sends a request that the recordings lack.
   * @param answer the request, its status, and values of its response whose IDs later requests use
   * @param key name of the answer before which it is sent
   * @throws {Error} if the response has another status
   */
  async prepare(answer: Answer, key: string): Promise<void> {
    const { status, text } = await this.#send(answer)
    if (status !== answer.status)
      throw new Error(`test/compat-setup.json, "${key}": ${answer.method} ${answer.path} is ${status}: ${text}`)
  }

  /** Sends the request of an answer. Returns the differences between both responses. */
  async play(answer: Answer): Promise<string[]> {
    const { headers, status, text, body } = await this.#send(answer)
    const differences: string[] = []
    if (status !== answer.status) differences.push(`status: ${status}, recorded ${answer.status}`)
    for (const name of HEADERS) {
      const recorded = answer.headers?.[name]
      const got = this.#recordedForm(headers.get(name) ?? '')
      if (recorded !== undefined && !this.#isSame(recorded, got))
        differences.push(`${name}: ${got}, recorded ${recorded}`)
    }
    if ('body' in answer) this.#compare(answer.body, body, '', differences)
    else if (answer.body_text !== undefined) this.#compare(answer.body_text, text, '', differences)
    return differences
  }

  /** Sends the request of an answer, and notes the IDs of objects in the response. */
  async #send(answer: Answer) {
    if (JSON.stringify(answer.multipart ?? null).includes('{{quiz-hash}}')) await this.#readQuiz(answer.path)
    const response = await fetch(this.#home + this.#fill(this.#withIds(answer.path.replace(/^\{\{home\}\}/, ''))), {
      method: answer.method,
      redirect: 'manual',
      ...this.#contents(answer),
    })
    const text = this.#recordedForm(await response.text())
    const body = parsed(text)
    this.#note(answer, body)
    return { headers: response.headers, status: response.status, text, body }
  }

  /** Reads the hash of the answer to a quiz, as the page with the form does. */
  async #readQuiz(path: string): Promise<void> {
    const refill = `${this.#home}${this.#withIds(path.replace('{{home}}', ''))}`.replace(/\/feedback.*$/, '/refill')
    const { quiz = {} } = (await (await fetch(refill)).json()) as { quiz?: Record<string, [string, string]> }
    for (const [, hash] of Object.values(quiz)) this.#saved.set('quiz-hash', hash)
  }

  #contents({ as = 'anonymous', json, form, multipart, raw, request_headers = {} }: Answer): RequestInit {
    const headers: Record<string, string> = {}
    if (as !== 'anonymous') {
      const pair = `${LOGINS[as]}:${APPLICATION_PASSWORD}`
      headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
    }
    for (const [name, value] of Object.entries(request_headers)) headers[name.toLowerCase()] = this.#fill(value)
    if (json !== undefined) {
      headers['content-type'] ??= 'application/json'
      return { headers, body: this.#fill(JSON.stringify(json)) }
    }
    if (form !== undefined) {
      const entries = (Array.isArray(form) ? form : Object.entries(form)) as [string, string][]
      return { headers, body: new URLSearchParams(entries.map(([name, value]) => [name, this.#fill(value)])) }
    }
    if (multipart === undefined) return raw === undefined ? { headers } : { headers, body: this.#fill(raw) }
    const data = new FormData()
    for (const [name, value] of multipart) {
      if (typeof value === 'string') data.append(name, this.#fill(value))
      else data.append(name, new File([value.content], value.filename, { type: value.type ?? '' }))
    }
    return { headers, body: data }
  }

  /** Notes the IDs of created objects, and values that later requests send. */
  #note({ body: recorded }: Answer, got: unknown): void {
    if (!isRecord(recorded) || !isRecord(got)) return
    this.#noteIds(recorded, got)
    if (typeof got['token'] === 'string') this.#saved.set('token', got['token'])
    const [theirs, ours] = [recorded['responses'], got['responses']]
    if (Array.isArray(theirs) && Array.isArray(ours))
      theirs.forEach((one, index) => this.#note(one as Answer, (ours[index] as { body?: unknown } | undefined)?.body))
  }

  /** Notes the ID of an object, and of terms in it: a language has a term for terms. */
  #noteIds(recorded: Record<string, unknown>, got: Record<string, unknown>, keys = ['id', 'term_id']): void {
    for (const key of keys) {
      const [theirs, ours] = [recorded[key], got[key]]
      if (typeof theirs === 'number' && typeof ours === 'number' && theirs !== ours) this.#ids.set(theirs, ours)
    }
    for (const [key, inner] of Object.entries(recorded)) {
      const own = got[key]
      if (isRecord(inner) && isRecord(own)) this.#noteIds(inner, own, ['term_id'])
    }
  }

  /** Replaces IDs of created objects in a path. */
  #withIds(path: string): string {
    return path.replaceAll(/(?<=[/=,]|^post-)\d+(?=$|[/?&,])/g, (id) => String(this.#ids.get(Number(id)) ?? id))
  }

  #fill(text: string): string {
    return text.replaceAll(/\{\{([^{}]+)\}\}/g, (whole, name: string) => {
      if (name === 'home') return this.#home
      if (name === 'host') return new URL(this.#home).host
      if (name === 'password') return PASSWORD
      if (name === 'app-password') return APPLICATION_PASSWORD
      if (name.startsWith('token:')) return tokenOf(name.slice('token:'.length), this.#home)
      return this.#saved.get(name) ?? whole
    })
  }

  /** Writes a text of this site as the recorded ones are. The bytes of inline images are artwork of each server. */
  #recordedForm(text: string): string {
    return [this.#home, JSON.stringify(this.#home).slice(1, -1).replaceAll('/', '\\/')]
      .reduce((result, home) => result.replaceAll(home, '{{home}}'), text)
      .replaceAll(INLINE_IMAGE, 'data:image')
      .replaceAll('{{home}}/uploads/', `{{home}}${RECORDED_UPLOADS}`)
      .replaceAll('{{home}}\\/uploads\\/', `{{home}}${RECORDED_UPLOADS.replaceAll('/', '\\/')}`)
  }

  #compare(recorded: unknown, got: unknown, path: string, differences: string[]): void {
    if (Array.isArray(recorded) && Array.isArray(got)) {
      if (recorded.length !== got.length)
        differences.push(`${path}[]: ${got.length} entries, recorded ${recorded.length}`)
      recorded
        .slice(0, got.length)
        .forEach((item, index) => this.#compare(item, got[index], `${path}[${index}]`, differences))
      return
    }
    if (isRecord(recorded) && isRecord(got)) {
      const isCoreError = typeof recorded['code'] === 'string' && recorded['code'].startsWith('rest_')
      for (const key of new Set([...Object.keys(recorded), ...Object.keys(got)])) {
        // Descriptions of schemas are sentences of the core or of a plugin, and messages of the core are our own.
        if (isDescription(key, path) || (isCoreError && key === 'message')) continue
        if (isCoreError && key === 'data') {
          this.#compare(withoutMessages(recorded[key]), withoutMessages(got[key]), 'data', differences)
          continue
        }
        const place = path === '' ? key : `${path}.${key}`
        if (!Object.hasOwn(got, key)) differences.push(`${place}: missing, recorded ${shown(recorded[key])}`)
        else if (!Object.hasOwn(recorded, key)) differences.push(`${place}: ${shown(got[key])}, not recorded`)
        else this.#compare(recorded[key], got[key], place, differences)
      }
      return
    }
    if (!this.#isSame(recorded, got)) differences.push(`${path}: ${difference(recorded, got)}`)
  }

  #isSame(recorded: unknown, got: unknown): boolean {
    if (isDeepStrictEqual(recorded, got)) return true
    if (typeof recorded === 'number') return this.#ids.get(recorded) === got || this.#terms.get(recorded) === got
    if (typeof recorded !== 'string' || typeof got !== 'string') return false
    const theirs = this.#withIds(recorded.replaceAll(INLINE_IMAGE, 'data:image'))
    if (!PLACEHOLDER.test(theirs)) return theirs === got
    const literal = theirs.split(PLACEHOLDER).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    return new RegExp(`^${literal.join('.*?')}$`, 's').test(got)
  }
}

/** Returns the token of a placeholder: `valid`, `expired`, `no user` … */
function tokenOf(kind: string, home: string): string {
  const now = Math.floor(Date.now() / 1000)
  const valid = { iss: home, iat: now, nbf: now, exp: now + 7 * DAY_S, data: { user: { id: '2' as unknown } } }
  switch (kind) {
    case 'garbage':
      return 'garbage'
    case 'three parts of garbage':
      return 'a.b.c'
    case 'wrong signature':
      return signed(valid, { secret: 'another secret of at least thirty-two characters' })
    case 'expired':
      return signed({ ...valid, iat: now - 8 * DAY_S, nbf: now - 8 * DAY_S, exp: now - DAY_S })
    case 'not yet valid':
      return signed({ ...valid, nbf: now + DAY_S })
    case 'issued in the future':
      return signed({ ...valid, iat: now + DAY_S })
    case 'wrong issuer':
      return signed({ ...valid, iss: 'http://elsewhere.test' })
    case 'no issuer':
      return signed({ ...valid, iss: undefined })
    case 'no user':
      return signed({ ...valid, data: {} })
    case 'unknown user':
      return signed({ ...valid, data: { user: { id: '9999' } } })
    case 'user id a number':
      return signed({ ...valid, data: { user: { id: 2 } } })
    case 'alg none':
      return signed(valid, { alg: 'none' })
    case 'alg HS512 signed so':
      return signed(valid, { alg: 'HS512', hash: 'sha512' })
    default:
      return signed(valid)
  }
}

function signed(payload: object, { alg = 'HS256', hash = 'sha256', secret = JWT_SECRET } = {}): string {
  const parts = [{ typ: 'JWT', alg }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const signature = alg === 'none' ? '' : createHmac(hash, secret).update(parts.join('.')).digest('base64url')
  return [...parts, signature].join('.')
}

/** Whether a value is a description in a schema, or of a type of the core. */
function isDescription(key: string, path: string): boolean {
  if (key === 'description' && /^wp_\w+$/.test(path)) return true
  return (key === 'description' || key === 'title') && /(?:^|\.)(?:schema|args|endpoints)\b/.test(path)
}

/** Returns the data of an error of the core without the messages of parameters. */
function withoutMessages(data: unknown): unknown {
  if (!isRecord(data)) return data
  const { params, details } = data
  return {
    ...data,
    ...(isRecord(params) && { params: Object.keys(params) }),
    ...(isRecord(details) && {
      details: Object.fromEntries(
        Object.entries(details).map(([name, one]) => [name, isRecord(one) ? { ...one, message: '' } : one]),
      ),
    }),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Shows two values; of long texts the part around the first difference. */
function difference(recorded: unknown, got: unknown): string {
  if (typeof recorded !== 'string' || typeof got !== 'string') return `${shown(got)}, recorded ${shown(recorded)}`
  let at = 0
  while (at < recorded.length && recorded[at] === got[at]) at += 1
  const start = Math.max(at - 60, 0)
  return `${shown(got.slice(start))}, recorded ${shown(recorded.slice(start))}`
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
