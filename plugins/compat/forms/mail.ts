import type { PluginContext } from '../../public.ts'
import type { Form, MailTemplate } from './forms.ts'
import { tagsOf } from './tags.ts'

/** A file that a visitor has sent. */
export interface MailFile {
  readonly field: string
  readonly filename: string
  readonly type: string
  readonly content: Buffer
}

/** A finished message. Addresses and headers have no line breaks. */
export interface FormMail {
  readonly form: number | null
  readonly to: string
  readonly from: string
  readonly subject: string
  readonly body: string
  readonly isHtml: boolean
  /** Further headers: `Reply-To: ada@example.test`. */
  readonly headers: readonly string[]
  readonly attachments: readonly MailFile[]
}

/** The values that replace the tags of a mail. */
export interface MailContext {
  readonly form: Form
  /** Values by field; a list has the values of several boxes. */
  readonly values: ReadonlyMap<string, string | readonly string[]>
  readonly files: readonly MailFile[]
  readonly special: Readonly<Record<string, string>>
}

const MAX_BODY_LENGTH = 1_000_000
const MAX_LINE_LENGTH = 2000
const MAX_HEADERS = 100

/** Returns the special tags of mails: `[_site_title]` … */
export async function specialTags(
  { services, urls }: PluginContext,
  { ip, agent, url }: { ip: string; agent: string; url: string },
): Promise<Record<string, string>> {
  const { options } = services
  const now = new Date().toISOString()
  return {
    _site_title: await options.get('title', ''),
    _site_description: await options.get('description', ''),
    _site_url: urls.home,
    _site_domain: new URL(urls.home).hostname,
    _site_admin_email: await options.get('email', ''),
    _date: now.slice(0, 10),
    _time: now.slice(11, 16),
    _remote_ip: ip,
    _user_agent: agent,
    _url: url,
  }
}

/** Returns the finished message of a template. */
export function composeMail(template: MailTemplate, context: MailContext): FormMail {
  const text = (name: string) => (typeof template[name] === 'string' ? template[name] : '')
  const isHtml = template['use_html'] === true || template['use_html'] === 1
  const pipes = pipesOf(context.form)
  const shortLine = (line: string) => oneLine(replaceTags(line, context, { pipes, maxLength: MAX_LINE_LENGTH }))
  const line = (name: string) => shortLine(text(name))
  const skipsBlank = template['exclude_blank'] === true
  const body = replaceTags(text('body'), context, { pipes, maxLength: MAX_BODY_LENGTH, isHtml, skipsBlank })
  const names = [...text('attachments').matchAll(/\[([\w:.-]{1,200})\]/g)].map(([, name]) => name)
  return {
    form: context.form.id,
    to: line('recipient'),
    from: line('sender'),
    subject: line('subject'),
    body: body.slice(0, MAX_BODY_LENGTH),
    isHtml,
    headers: text('additional_headers')
      .split('\n', MAX_HEADERS)
      .map(shortLine)
      .filter((header) => /^[\w-]+:./.test(header)),
    attachments: context.files.filter(({ field }) => names.includes(field)),
  }
}

type Pipes = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Returns the texts that replace the values of fields in mails, by field. */
function pipesOf(form: Form): Pipes {
  return new Map(tagsOf(form.form).map(({ name, pipes }) => [name, new Map(pipes)]))
}

interface Replacement {
  readonly pipes: Pipes
  /** Maximum length of all inserted values together. A template can repeat a long value. */
  readonly maxLength: number
  readonly isHtml?: boolean
  readonly skipsBlank?: boolean
}

/** Replaces the tags of a text with the values that a visitor has sent. */
function replaceTags(
  template: string,
  { values, special }: MailContext,
  { pipes, maxLength, isHtml = false, skipsBlank = false }: Replacement,
): string {
  let left = maxLength
  const replaced = (line: string): { text: string; hasTag: boolean; hasValue: boolean } => {
    let [hasTag, hasValue] = [false, false]
    const text = line.replaceAll(
      /\[(_raw_)?([A-Za-z_][\w:.-]{0,200})\]/g,
      (whole, raw: string | undefined, name: string) => {
        const sent = values.get(name)
        if (sent === undefined && !Object.hasOwn(special, name)) return pipes.has(name) ? '' : whole
        hasTag = true
        if (left === 0) return ''
        const list = sent === undefined ? [special[name]!] : [sent].flat()
        const shown = raw === undefined ? list.map((value) => pipes.get(name)?.get(value) ?? value) : list
        const value = shown.join(', ').slice(0, left)
        left -= value.length
        if (value !== '') hasValue = true
        return isHtml ? escapeMail(value) : value
      },
    )
    return { text, hasTag, hasValue }
  }
  return template
    .split('\n')
    .map(replaced)
    .filter(({ hasTag, hasValue }) => !skipsBlank || !hasTag || hasValue)
    .map(({ text }) => text)
    .join('\n')
}

/** Values in a header must not begin another one. */
function oneLine(text: string): string {
  return text
    .replaceAll(/[\r\n\u2028\u2029]+/g, ' ')
    .trim()
    .slice(0, MAX_LINE_LENGTH)
}

function escapeMail(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
