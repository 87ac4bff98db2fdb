import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { applyFilter, networksOf, type CurrentUser, type PluginContext, type UploadedFile } from '../../public.ts'
import type { Entries } from './entries.ts'
import { errors } from './errors.ts'
import { isSet, messageOf, type Form } from './forms.ts'
import { composeMail, specialTags, type MailFile } from './mail.ts'
import { FIELDS, INTERNAL_PREFIX } from './names.ts'
import { checkFields, rulesOf, type FieldFile, type FieldValue } from './rules.ts'
import { tagsOf } from './tags.ts'

/** A message as a visitor has sent it. */
export interface Sent {
  readonly fields: Readonly<Record<string, unknown>>
  readonly files: readonly UploadedFile[]
  readonly user: CurrentUser
  readonly ip: string
  readonly agent: string
  /** URL of the page with the form. */
  readonly url: string
}

/** The response to a message. */
export type Feedback = Readonly<Record<string, unknown>> & {
  readonly status: string
  readonly message: string
  readonly invalid_fields: readonly { readonly field: string; readonly message: string }[]
}

const MAX_VALUE_LENGTH = 100_000
const MAX_VALUES = 200
/** Maximum size of all files of a message, in bytes. */
const MAX_FILES_BYTES = 20_000_000
const WINDOW_MS = 600_000
const MAX_CLIENTS = 10_000

/** Checks, stores and sends messages. */
export class Submissions {
  readonly #plugin: PluginContext
  readonly #entries: Entries
  readonly #key: string
  readonly #limit: number
  /** Accepted messages of the last minutes by network. */
  readonly #counts = new Map<string, { count: number; until: number }>()

  /**
   * @param key key of the hashes of quiz answers
   * @param limit messages that one network can send in ten minutes
   */
  constructor(plugin: PluginContext, entries: Entries, { key, limit }: { key: string; limit: number }) {
    this.#plugin = plugin
    this.#entries = entries
    this.#key = key
    this.#limit = limit
  }

  /** Returns the question of each quiz of a form with the hash of its answer. */
  quiz(form: Form): Record<string, [question: string, hash: string]> {
    const quizzes = tagsOf(form.form).filter(({ basetype, pipes }) => basetype === 'quiz' && pipes.length > 0)
    return Object.fromEntries(
      quizzes.map(({ name, pipes }) => {
        const [question, answer] = pipes[Math.floor(Math.random() * pipes.length)]!
        return [name, [question, this.#answerHash(answer)]]
      }),
    )
  }

  /**
   * Handles a message.
   * @throws wpcf7_unit_tag_not_found, forms_too_many_submissions
   */
  async handle(form: Form, sent: Sent): Promise<Feedback> {
    const unitTag = cleanUnitTag(sent.fields[FIELDS.unitTag])
    if (unitTag === '') throw errors.wpcf7_unit_tag_not_found()
    const quiz = this.quiz(form)
    const common = {
      ...(isSet(form, 'demo_mode') && { demo_mode: true }),
      into: `#${unitTag}`,
      ...(Object.keys(quiz).length > 0 && { quiz }),
    }
    const { into, ...others } = common
    const respond = (status: string, message: string, hash: string | null = ''): Feedback => ({
      contact_form_id: form.id,
      status,
      message,
      ...(hash !== null && { posted_data_hash: hash }),
      ...('demo_mode' in others && { demo_mode: true }),
      into,
      invalid_fields: [],
      ...('quiz' in others && { quiz }),
    })
    if (isSet(form, 'subscribers_only') && sent.user.id === 0)
      return respond('error', 'This contact form is available only for logged in users.', null)

    const values = valuesOf(form, sent.fields)
    const invalid = this.#invalidFields(form, values, sent)
    if (invalid.size > 0) {
      const invalidFields = [...invalid].map(([field, message]) => ({
        field,
        message,
        idref: null,
        error_id: `${unitTag}-ve-${field}`,
      }))
      const {
        contact_form_id,
        status,
        message,
        posted_data_hash: hash,
        ...rest
      } = respond('validation_failed', messageOf(form, 'validation_error'))
      return {
        contact_form_id,
        status,
        message,
        ...rest,
        posted_data_hash: hash,
        invalid_fields: invalidFields,
      }
    }
    if (missingAcceptance(form, values).length > 0)
      return respond('acceptance_missing', messageOf(form, 'accept_terms'))
    if (await this.#isSpam(values, sent)) return respond('spam', messageOf(form, 'spam'))
    return this.#accept(form, values, sent, respond)
  }

  #invalidFields(form: Form, values: ReadonlyMap<string, FieldValue>, { fields, files }: Sent): Map<string, string> {
    const byField = new Map<string, FieldFile[]>()
    for (const file of files) {
      const name = file.name.replace(/\[\]$/, '')
      if (file.size > 0 || file.filename !== '') byField.set(name, [...(byField.get(name) ?? []), file])
    }
    const invalid = checkFields(rulesOf(form), values, byField)
    for (const { basetype, name, pipes } of tagsOf(form.form)) {
      if (basetype !== 'quiz' || invalid.has(name)) continue
      const answer = this.#answerHash(String([values.get(name) ?? ''].flat()[0] ?? ''))
      const hash = fields[`${FIELDS.quiz}${name}`]
      const isKnown = pipes.some(([, right]) => this.#answerHash(right) === hash)
      if (!isKnown || typeof hash !== 'string' || !isSame(answer, hash))
        invalid.set(name, messageOf(form, 'quiz_answer_not_correct'))
    }
    if (isSet(form, 'acceptance_as_validation'))
      for (const name of missingAcceptance(form, values)) invalid.set(name, messageOf(form, 'accept_terms'))
    return invalid
  }

  async #isSpam(values: ReadonlyMap<string, FieldValue>, { agent, ip }: Sent): Promise<boolean> {
    if (agent.length < 2) return true
    const words = (await this.#plugin.services.options.get('disallowed_keys', ''))
      .split('\n')
      .map((word) => word.trim().toLowerCase())
    const text = [...values.values(), ip, agent].flat().join('\n').toLowerCase()
    return words.some((word) => word !== '' && text.includes(word))
  }

  async #accept(
    form: Form,
    values: ReadonlyMap<string, FieldValue>,
    sent: Sent,
    respond: (status: string, message: string, hash: string) => Feedback,
  ): Promise<Feedback> {
    this.#count(sent.ip)
    const hash = createHash('sha256')
      .update(JSON.stringify([form.id, ...values]))
      .digest('hex')
      .slice(0, 32)
    if (isSet(form, 'demo_mode')) return respond('mail_sent', messageOf(form, 'mail_sent_ok'), hash)
    const files = await readFiles(form, sent.files)
    const wasSent = isSet(form, 'skip_mail') || (await this.#send(form, values, files, sent))
    const status = wasSent ? 'mail_sent' : 'mail_failed'
    if (!isSet(form, 'do_not_store'))
      await this.#entries.add(
        { form_id: form.id ?? 0, status, url: sent.url.slice(0, 1000), values: Object.fromEntries(values) },
        files,
      )
    return respond(status, messageOf(form, wasSent ? 'mail_sent_ok' : 'mail_sent_ng'), hash)
  }

  async #send(
    form: Form,
    values: ReadonlyMap<string, FieldValue>,
    files: readonly MailFile[],
    sent: Sent,
  ): Promise<boolean> {
    const { hooks, log } = this.#plugin
    const context = { form, values, files, special: await specialTags(this.#plugin, sent) }
    try {
      const wasSent = await applyFilter(hooks.form_mail, true, composeMail(form.mail, context))
      // The second mail is a copy for the visitor, whose failure the site owner cannot mend.
      if (wasSent && form.mail_2['active'] === true)
        await applyFilter(hooks.form_mail, true, composeMail(form.mail_2, context))
      return wasSent
    } catch (err) {
      log.warn({ err, form: form.id }, 'a message of a form could not be sent')
      return false
    }
  }

  #count(ip: string): void {
    const now = Date.now()
    const key = networksOf(ip).client
    const entry = this.#counts.get(key)
    if (entry === undefined || entry.until <= now) {
      if (this.#counts.size >= MAX_CLIENTS) this.#counts.clear()
      this.#counts.set(key, { count: 1, until: now + WINDOW_MS })
      return
    }
    const seconds = Math.ceil((entry.until - now) / 1000)
    if (entry.count >= this.#limit) throw errors.forms_too_many_submissions(seconds, { data: { retry_after: seconds } })
    entry.count += 1
  }

  #answerHash(answer: string): string {
    return createHmac('sha256', this.#key).update(answer.trim().toLowerCase()).digest('hex').slice(0, 32)
  }
}

/** Returns a unit tag without characters that an ID cannot contain. */
export function cleanUnitTag(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(/[^\w-]/g, '').slice(0, 100) : ''
}

/** Returns the values of the fields of a form. Other fields are ignored. */
function valuesOf(form: Form, fields: Readonly<Record<string, unknown>>): Map<string, FieldValue> {
  const values = new Map<string, FieldValue>()
  for (const { name, basetype } of tagsOf(form.form)) {
    if (name === '' || name.startsWith(INTERNAL_PREFIX) || basetype === 'file') continue
    const sent = fields[name]
    const list = typeof sent === 'object' && sent !== null ? Object.values(sent).slice(0, MAX_VALUES).map(textOf) : null
    if (list !== null) values.set(name, list)
    else values.set(name, basetype === 'checkbox' && textOf(sent) === '' ? [] : textOf(sent))
  }
  return values
}

function missingAcceptance(form: Form, values: ReadonlyMap<string, FieldValue>): string[] {
  return tagsOf(form.form)
    .filter(({ basetype, options }) => basetype === 'acceptance' && !options.includes('optional'))
    .filter(({ name, options }) => (values.get(name) === '') !== options.includes('invert'))
    .map(({ name }) => name)
}

async function readFiles(form: Form, files: readonly UploadedFile[]): Promise<MailFile[]> {
  const names = new Set(tagsOf(form.form).flatMap(({ basetype, name }) => (basetype === 'file' ? [name] : [])))
  const read: MailFile[] = []
  let total = 0
  for (const file of files) {
    const field = file.name.replace(/\[\]$/, '')
    total += file.size
    if (!names.has(field) || file.size === 0 || total > MAX_FILES_BYTES) continue
    const filename = file.filename.replaceAll(/[^\p{L}\p{N}._ -]/gu, '_').slice(-200)
    read.push({ field, filename, type: file.type.slice(0, 100), content: await file.read() })
  }
  return read
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, MAX_VALUE_LENGTH).trim() : ''
}
