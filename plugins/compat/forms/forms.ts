import { createHash, randomBytes } from 'node:crypto'
import type { PluginContext, Post, RequestCache, RestRequest } from '../../public.ts'
import { plainPhp, readPhp } from '../php-values.ts'
import { mailsOf, MESSAGES, TEMPLATE } from './defaults.ts'
import { errors } from './errors.ts'
import { FORM_TYPE } from './names.ts'

/** A template of a mail. */
export type MailTemplate = Readonly<Record<string, unknown>>

/** A form. */
export interface Form {
  /** Null for a form that is not stored. */
  readonly id: number | null
  readonly slug: string | null
  readonly title: string
  readonly locale: string
  /** Seven characters, which shortcodes can name in place of the ID. */
  readonly hash: string
  readonly form: string
  readonly mail: MailTemplate
  readonly mail_2: MailTemplate
  readonly messages: Readonly<Record<string, string>>
  /** Lines `name: value`. */
  readonly additional_settings: string
}

const MAIL_KEYS = [
  'active',
  'subject',
  'sender',
  'recipient',
  'body',
  'additional_headers',
  'attachments',
  'use_html',
  'exclude_blank',
]
const FLAGS = ['active', 'use_html', 'exclude_blank']
const HASH_LENGTH = 7
const MAX_TEXT_LENGTH = 100_000
const MAX_FORMS = 1000

/** Reads and writes forms, which are posts with meta. */
export class Forms {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** Returns a form. @throws wpcf7_not_found */
  async get(id: number, scope: RequestCache): Promise<Form> {
    const post = Number.isSafeInteger(id) ? await this.#plugin.services.posts.get(id, scope) : undefined
    if (post?.type !== FORM_TYPE || post.status === 'trash') throw errors.wpcf7_not_found()
    return this.#read(post, scope)
  }

  /** Returns all forms in the order of their IDs. */
  async all(scope: RequestCache): Promise<Form[]> {
    const query = {
      types: [FORM_TYPE],
      statuses: ['publish'],
      readScope: null,
      limit: MAX_FORMS,
      offset: 0,
      orderby: 'id',
      order: 'asc',
    } as const
    const { items } = await this.#plugin.services.posts.query(query, scope)
    return Promise.all(items.map((post) => this.#read(post, scope)))
  }

  /** Returns the form that a shortcode names by ID, hash or title. */
  async named(name: string, title: string, scope: RequestCache): Promise<Form | undefined> {
    if (/^\d+$/.test(name)) {
      const post = await this.#plugin.services.posts.get(Number(name), scope)
      if (post?.type === FORM_TYPE && post.status === 'publish') return this.#read(post, scope)
    }
    const forms = await this.all(scope)
    const isHash = name.length >= HASH_LENGTH
    return (
      forms.find((form) => isHash && form.hash.startsWith(name.slice(0, HASH_LENGTH))) ??
      forms.find((form) => title !== '' && form.title === title)
    )
  }

  /** Returns a new form that is not stored. */
  async blank(): Promise<Form> {
    const { services, urls } = this.#plugin
    const sender = (await services.options.get('email', '')) || `forms@${new URL(urls.home).hostname}`
    return {
      id: null,
      slug: null,
      title: 'Untitled',
      locale: 'en_US',
      hash: '',
      form: TEMPLATE,
      ...mailsOf(sender),
      messages: MESSAGES,
      additional_settings: '',
    }
  }

  /** Returns a form with the fields that a client has sent. */
  changed(form: Form, sent: Readonly<Record<string, unknown>>): Form {
    const text = (name: string, before: string) =>
      typeof sent[name] === 'string' ? sent[name].slice(0, MAX_TEXT_LENGTH) : before
    const mail = (name: 'mail' | 'mail_2') =>
      isRecord(sent[name]) ? completeMail(sent[name], name === 'mail') : form[name]
    return {
      ...form,
      title: text('title', form.title).trim() || form.title,
      locale: text('locale', form.locale),
      form: text('form', form.form),
      mail: mail('mail'),
      mail_2: mail('mail_2'),
      messages: isRecord(sent['messages']) ? textsOf(sent['messages']) : form.messages,
      additional_settings: text('additional_settings', form.additional_settings),
    }
  }

  /** Stores a form. @returns its ID */
  async save(form: Form, { user, scope }: Pick<RestRequest, 'user' | 'scope'>): Promise<number> {
    const { posts, meta, transactions } = this.#plugin.services
    return transactions.inTurn(async () => {
      const change = { title: form.title, content: contentOf(form) }
      const post =
        form.id === null
          ? await posts.create({ type: FORM_TYPE, status: 'publish', ...change }, { user, scope })
          : await posts.update(form.id, change, { user, scope })
      await meta.writeAll(
        'post',
        post.id,
        {
          _form: [form.form],
          _mail: [form.mail],
          _mail_2: [form.mail_2],
          _messages: [form.messages],
          _additional_settings: [form.additional_settings],
          _locale: [form.locale],
          _hash: [form.hash === '' ? createHash('sha1').update(randomBytes(16)).digest('hex') : form.hash],
        },
        scope,
      )
      return post.id
    })
  }

  /** Deletes a form. Its messages remain. */
  async delete(id: number, { user, scope }: Pick<RestRequest, 'user' | 'scope'>): Promise<void> {
    await this.#plugin.services.posts.remove(id, { user, scope })
  }

  async #read({ id, slug, title }: Post, scope: RequestCache): Promise<Form> {
    const rows = await this.#plugin.services.meta.rows('post', id, scope)
    const value = (key: string): unknown => {
      const stored = rows.find((row) => row.key === key)?.value
      const read = typeof stored === 'string' ? readPhp(stored) : undefined
      return read === undefined || typeof read === 'string' ? stored : plainPhp(read)
    }
    const text = (key: string) => (typeof value(key) === 'string' ? (value(key) as string) : '')
    const record = (key: string) => (isRecord(value(key)) ? (value(key) as Record<string, unknown>) : {})
    return {
      id,
      slug,
      title,
      locale: text('_locale') || 'en_US',
      hash: text('_hash'),
      form: text('_form'),
      mail: record('_mail'),
      mail_2: record('_mail_2'),
      messages: { ...MESSAGES, ...textsOf(record('_messages')) },
      additional_settings: text('_additional_settings'),
    }
  }
}

/** Returns the settings of a form: lists of values by name. */
export function settingsOf({ additional_settings: text }: Form): ReadonlyMap<string, readonly string[]> {
  const settings = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [, name, value] = /^([\w-]{1,100})[ \t]*:(.*)$/.exec(line.trim()) ?? []
    if (name !== undefined) settings.set(name, [...(settings.get(name) ?? []), value!.trim()])
  }
  return settings
}

/** Returns whether a setting such as `demo_mode: on` is on. */
export function isSet(form: Form, name: string): boolean {
  return (
    settingsOf(form)
      .get(name)
      ?.some((value) => ['on', 'true', '1'].includes(value)) ?? false
  )
}

/** Returns a message of a form; the usual one if the form has none. */
export function messageOf({ messages }: Form, name: string): string {
  return messages[name] ?? MESSAGES[name] ?? ''
}

function textsOf(record: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts = Object.entries(record).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries(texts.slice(0, 100).map(([name, text]) => [name, text.slice(0, 1000)]))
}

/** Returns a template with all keys; keys that are not sent are empty, also if the form had values for them. */
function completeMail(sent: MailTemplate, isActive: boolean): MailTemplate {
  const mail: Record<string, unknown> = {}
  for (const key of MAIL_KEYS) {
    const value = sent[key]
    if (FLAGS.includes(key))
      mail[key] = value === undefined ? key === 'active' && isActive : value === true || value === 1 || value === '1'
    else mail[key] = typeof value === 'string' ? value.slice(0, MAX_TEXT_LENGTH) : ''
  }
  return mail
}

function contentOf({ form, mail, mail_2: second, messages, additional_settings: settings }: Form): string {
  return [form, ...Object.values(mail), ...Object.values(second), ...Object.values(messages), settings]
    .map(String)
    .join('\n')
    .trim()
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
