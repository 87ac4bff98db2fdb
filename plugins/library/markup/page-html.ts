/** HTML that is safe to send: external text in it is escaped. */
export class PageHtml {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Value in an HTML template: text, which is escaped, HTML, or nothing. */
export type HtmlValue = string | number | PageHtml | readonly PageHtml[] | null | undefined

/**
 * Template tag for HTML: values are escaped unless they are `PageHtml`. Quote attributes.
 * @example
 * html`<p title="${title}">${text}</p>`
 */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): PageHtml {
  return new PageHtml(parts.map((part, index) => (index === 0 ? part : render(values[index - 1]) + part)).join(''))
}

function render(value: HtmlValue): string {
  if (value === null || value === undefined) return ''
  if (value instanceof PageHtml) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('\n')
  return String(value).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
}
