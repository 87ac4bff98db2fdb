import type { Form, MailTemplate } from './forms.ts'
import { tagsOf } from './tags.ts'

/** A mistake in the settings of a form. */
interface ConfigError {
  readonly message: string
  readonly link: string
}

const LINK = 'https://contactform7.com/configuration-errors/'
const EMPTY: ConfigError = { message: 'There is a possible empty field.', link: `${LINK}maybe-empty` }
const SAMPLE_ADDRESS = 'example@example.com'

/** Returns the mistakes in the mails of a form by section; an empty list for a correct form. */
export function configErrors(form: Form): Readonly<Record<string, readonly ConfigError[]>> | readonly never[] {
  const found: Record<string, ConfigError[]> = {}
  for (const section of ['mail', 'mail_2'] as const) {
    const mail = form[section]
    // The first mail is always sent; the second one only if it is active, and then without its own addresses.
    if (section === 'mail_2' && (mail['active'] !== true || textOf(mail, 'recipient') === '')) continue
    checkMail(form, mail, (name, error) => (found[`${section}.${name}`] = [error]))
  }
  return Object.keys(found).length === 0 ? [] : found
}

function checkMail(form: Form, mail: MailTemplate, report: (name: string, error: ConfigError) => void): void {
  if (filled(form, textOf(mail, 'subject')) === '') report('subject', EMPTY)
  for (const name of ['sender', 'recipient'])
    if (!isMailbox(filled(form, textOf(mail, name)))) report(name, invalidMailbox('Invalid mailbox syntax is used.'))
  for (const line of textOf(mail, 'additional_headers').split('\n')) {
    const [, name, value] = /^(Reply-To|Cc|Bcc)[ \t]*:(.*)$/i.exec(line.trim()) ?? []
    if (name !== undefined && !isMailbox(filled(form, value!)))
      report('additional_headers', invalidMailbox(`Invalid mailbox syntax is used in the ${name} field.`))
  }
  if (filled(form, textOf(mail, 'body')) === '') report('body', EMPTY)
}

/** Replaces the tags of a text with examples. */
function filled(form: Form, text: string): string {
  const tags = new Map(tagsOf(form.form).map((tag) => [tag.name, tag]))
  return text
    .replaceAll(/\[(_?[A-Za-z][\w:.-]{0,200})\]/g, (_whole, name: string) => {
      if (name.startsWith('_')) return name.includes('email') ? SAMPLE_ADDRESS : 'example'
      const tag = tags.get(name)
      if (tag === undefined) return ''
      return tag.basetype === 'email' ? SAMPLE_ADDRESS : (tag.pipes[0]?.[1] ?? 'example')
    })
    .trim()
}

function isMailbox(text: string): boolean {
  const list = text.split(',').map((one) => /<([^<>]*)>\s*$/.exec(one)?.[1] ?? one.trim())
  return list.every((address) => /^[^\s@<>]{1,64}@[^\s@<>]{1,255}$/.test(address))
}

function invalidMailbox(message: string): ConfigError {
  return { message, link: `${LINK}invalid-mailbox-syntax` }
}

function textOf(mail: MailTemplate, name: string): string {
  return typeof mail[name] === 'string' ? mail[name] : ''
}
