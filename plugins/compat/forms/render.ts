import { html, PageHtml, type PluginContext } from '../../public.ts'
import { isSet, type Form } from './forms.ts'
import { FIELDS, VERSION } from './names.ts'
import type { Feedback, Submissions } from './submissions.ts'
import { isRequired, optionOf, parseTemplate, type FormTag } from './tags.ts'

/** The place of a rendered form. */
export interface FormPlace {
  readonly unitTag: string
  /** Post that contains the form; 0 in responses of the REST API. */
  readonly containerId: number
  /** URL that the form is sent to. */
  readonly action: string
  readonly isLoggedIn: boolean
  /** The response to the message that was sent with this form, and its fields. */
  readonly sent: { readonly feedback: Feedback; readonly fields: Readonly<Record<string, unknown>> } | null
}

/** Beginning of the response, which is at the end of a rendered form. */
export const FORM_OUTPUT = '<div class="wpcf7-response-output"'
/** End of a rendered form. */
export const FORM_END = '</form>\n  </div>'

const STATUS_CLASSES: Readonly<Record<string, string>> = {
  mail_sent: 'sent',
  mail_failed: 'failed',
  validation_failed: 'invalid',
  acceptance_missing: 'unaccepted',
  spam: 'spam',
  error: 'invalid',
}
const TEXT_TYPES = ['text', 'email', 'url', 'tel', 'number', 'range', 'date']
const ATTRIBUTES = ['autocomplete', 'placeholder', 'minlength', 'maxlength', 'min', 'max', 'step', 'size', 'id']

/** Renders a form, which works without scripts. */
export function renderForm(plugin: PluginContext, form: Form, submissions: Submissions, place: FormPlace): string {
  if (isSet(form, 'subscribers_only') && !place.isLoggedIn)
    return '<p class="wpcf7-subscribers-only">This contact form is available only for logged in users.</p>'
  const { unitTag, containerId, action, sent } = place
  const hidden = {
    [FIELDS.form]: String(form.id),
    [FIELDS.version]: VERSION,
    [FIELDS.locale]: form.locale,
    [FIELDS.unitTag]: unitTag,
    [FIELDS.container]: String(containerId),
    [FIELDS.hash]: '',
  }
  const quiz = submissions.quiz(form)
  const status = sent === null ? 'init' : (STATUS_CLASSES[sent.feedback.status] ?? 'failed')
  const errors = new Map(sent?.feedback.invalid_fields.map(({ field, message }) => [field, message]))
  // Values stay after a mistake, and are not shown again after the message was sent.
  const isAgain = sent !== null && sent.feedback.status !== 'mail_sent'
  const context = { unitTag, quiz, errors, fields: isAgain ? sent.fields : null }
  // Editors without the right to post any HTML can write templates.
  const fieldHtml: PageHtml[] = []
  const marked = parseTemplate(form.form)
    .map((part) =>
      typeof part === 'string'
        ? part.replaceAll('\uE000', '')
        : `\uE000${fieldHtml.push(fieldOf(part, context)) - 1}\uE000`,
    )
    .join('')
  const body = paragraphs(plugin.services.html.filter(marked, 'post')).replaceAll(
    /\uE000(\d+)\uE000/g,
    (_, index: string) => fieldHtml[Number(index)]?.text ?? '',
  )
  const inputs = Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )
  const message = sent === null ? '' : sent.feedback.message
  const language = form.locale.replace('_', '-')
  const rendered = html`<div class="wpcf7" id="${unitTag}" lang="${language}" dir="ltr" data-wpcf7-id="${form.id}">
    <div class="screen-reader-response"><p role="status" aria-live="polite" aria-atomic="true">${message}</p></div>
    <form
      action="${action}#${unitTag}"
      method="post"
      class="wpcf7-form ${status}"
      aria-label="Contact form"
      enctype="multipart/form-data"
      novalidate="novalidate"
      data-status="${status}"
    >
      <fieldset class="hidden-fields-container">${inputs}</fieldset>
      ${new PageHtml(body)}
      <div class="wpcf7-response-output" ${message === '' ? html`aria-hidden="true"` : null}>${message}</div>
    </form>
  </div>`
  return rendered.text
}

interface FieldContext {
  readonly unitTag: string
  readonly quiz: Readonly<Record<string, readonly [string, string]>>
  readonly errors: ReadonlyMap<string, string>
  readonly fields: Readonly<Record<string, unknown>> | null
}

function fieldOf(tag: FormTag, context: FieldContext): PageHtml {
  const { basetype, name } = tag
  if (basetype === 'submit')
    return html`<input
      class="wpcf7-form-control wpcf7-submit has-spinner"
      type="submit"
      value="${tag.values[0] ?? 'Send'}"
    />`
  if (basetype === 'response' || basetype.startsWith('captcha') || basetype === 'count') return html``
  if (basetype === 'hidden')
    return html`<input
      class="wpcf7-form-control wpcf7-hidden"
      type="hidden"
      name="${name}"
      value="${tag.values[0] ?? ''}"
    />`
  const error = context.errors.get(name)
  const tip =
    error === undefined
      ? null
      : html`<span class="wpcf7-not-valid-tip" id="${context.unitTag}-ve-${name}">${error}</span>`
  return html`<span class="wpcf7-form-control-wrap" data-name="${name}">${controlOf(tag, context)}${tip}</span>`
}

function controlOf(tag: FormTag, context: FieldContext): PageHtml {
  const { basetype, name, values, labels, options, content } = tag
  const isInvalid = context.errors.has(name)
  const classes = [
    'wpcf7-form-control',
    `wpcf7-${basetype}`,
    ...(isRequired(tag) ? ['wpcf7-validates-as-required'] : []),
    ...(isInvalid ? ['wpcf7-not-valid'] : []),
    ...options.flatMap((option) => (option.startsWith('class:') ? [option.slice(6)] : [])),
  ].join(' ')
  const aria = html`aria-required="${String(isRequired(tag))}"
  aria-invalid="${String(isInvalid)}"${isInvalid ? html` aria-describedby="${context.unitTag}-ve-${name}"` : null}`
  const sent = context.fields?.[name]
  const chosen =
    sent === undefined
      ? null
      : typeof sent === 'object' && sent !== null
        ? Object.values(sent).map(String)
        : [typeof sent === 'string' ? sent : '']
  const extra = ATTRIBUTES.map((attribute) => {
    const value =
      attribute === 'placeholder' ? (options.includes('placeholder') ? values[0] : undefined) : optionOf(tag, attribute)
    return value === undefined ? html`` : html` ${attribute}="${value}"`
  })
  const preset = options.includes('placeholder') ? '' : (values[0] ?? content)
  const shown = chosen?.[0] ?? preset
  if (TEXT_TYPES.includes(basetype))
    return html`<input
      class="${classes} wpcf7-text"
      type="${basetype}"
      name="${name}"
      value="${shown}"
      ${aria}${extra}
    />`
  if (basetype === 'textarea')
    return html`<textarea class="${classes}" name="${name}" cols="40" rows="10" ${aria}${extra}>${shown}</textarea>`
  const isMultiple = options.includes('multiple')
  const defaults = (optionOf(tag, 'default') ?? '').split('_').map((at) => values[Number(at) - 1])
  const isChosen = (value: string) => (chosen === null ? defaults.includes(value) : chosen.includes(value))
  if (basetype === 'select') {
    const blank = options.includes('include_blank') ? html`<option value="">—Please choose an option—</option>` : null
    const items = values.map(
      (value, index) =>
        html`<option value="${value}" ${isChosen(value) ? html` selected="selected"` : null}>${labels[index]}</option>`,
    )
    return html`<select
      class="${classes}"
      name="${name}${isMultiple ? '[]' : ''}"
      ${aria}${isMultiple ? html` multiple="multiple"` : null}${extra}
    >
      ${blank}${items}
    </select>`
  }
  if (basetype === 'checkbox' || basetype === 'radio') {
    const field = basetype === 'checkbox' ? `${name}[]` : name
    const items = values.map(
      (value, index) =>
        html`<span class="wpcf7-list-item"
          ><label
            ><input
              type="${basetype}"
              name="${field}"
              value="${value}"
              ${isChosen(value) ? html` checked="checked"` : null}
            /><span class="wpcf7-list-item-label">${labels[index]}</span></label
          ></span
        >`,
    )
    return html`<span class="${classes}">${items}</span>`
  }
  if (basetype === 'acceptance') {
    const isOn = chosen === null ? options.includes('default:on') : chosen[0] !== ''
    return html`<span class="${classes}"
      ><span class="wpcf7-list-item"
        ><label
          ><input
            type="checkbox"
            name="${name}"
            value="1"
            aria-invalid="${String(isInvalid)}"
            ${isOn ? html` checked="checked"` : null}
          /><span class="wpcf7-list-item-label">${content}</span></label
        ></span
      ></span
    >`
  }
  if (basetype === 'file') return html`<input class="${classes}" type="file" name="${name}" ${aria}${extra} />`
  const [question = '', hash = ''] = context.quiz[name] ?? []
  return html`<label
      ><span class="wpcf7-quiz-label">${question}</span>
      <input
        class="${classes}"
        type="text"
        name="${name}"
        autocomplete="off"
        aria-required="true"
        ${aria}${extra} /></label
    ><input type="hidden" name="${FIELDS.quiz}${name}" value="${hash}" />`
}

/** Wraps lines of a template in paragraphs, unless they contain blocks. */
function paragraphs(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) =>
      /<(?:p|div|fieldset|table|ul|ol|h[1-6]|section)\b/i.test(part)
        ? part
        : `<p>${part.replaceAll('\n', '<br />\n')}</p>`,
    )
    .join('\n')
}
