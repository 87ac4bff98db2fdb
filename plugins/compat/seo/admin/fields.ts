import { html, type PageHtml } from '../../../public.ts'

/** A field of a form. */
export interface FormField {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly kind: 'text' | 'long' | 'url' | 'switch'
}

/** Maximum characters of a text. */
const MAX_LENGTH = 1000

/** Renders the fields of a form. @param prefix beginning of their IDs */
export function fieldsHtml(fields: readonly FormField[], prefix: string): PageHtml {
  return html`${fields.map((field) => fieldHtml(field, `${prefix}-${field.name}`))}`
}

function fieldHtml({ name, label, value, kind }: FormField, id: string): PageHtml {
  if (kind === 'switch')
    return html`<div class="field check">
      <input type="checkbox" id="${id}" name="${name}" value="1" ${value === '1' ? html`checked` : null} />
      <label for="${id}">${label}</label>
    </div>`
  const input =
    kind === 'long'
      ? html`<textarea id="${id}" name="${name}" rows="3" maxlength="${MAX_LENGTH}">${'\n'}${value}</textarea>`
      : html`<input id="${id}" name="${name}" type="${kind}" value="${value}" maxlength="${MAX_LENGTH}" />`
  return html`<div class="field"><label for="${id}">${label}</label> ${input}</div>`
}

/** Returns the sent value of a field; for a URL that is not one of a web page, ''. */
export function sentValue(form: Readonly<Record<string, unknown>>, { name, kind }: FormField): string {
  const sent = form[name]
  if (kind === 'switch') return sent === undefined ? '' : '1'
  const text = typeof sent === 'string' ? sent.trim().slice(0, MAX_LENGTH) : ''
  if (kind !== 'url') return text
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : ''
}
