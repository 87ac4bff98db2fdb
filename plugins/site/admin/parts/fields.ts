import { html, type HtmlValue, type PageHtml } from '../../../library/markup/index.ts'

/** Options of all fields. */
export interface FieldOptions {
  readonly name: string
  readonly label: string
  /** Help text below the field; screen readers read it together with the field. */
  readonly hint?: HtmlValue
  /** Error message. */
  readonly error?: string | undefined
  readonly required?: boolean
  readonly disabled?: boolean
  /** Additional attributes, as HTML that begins with a space. */
  readonly attributes?: PageHtml
  /** ID of the element, if the page contains several fields of this name. */
  readonly id?: string
}

/** An option of a field. */
export interface Choice {
  readonly value: string
  readonly label: string
  readonly disabled?: boolean
}

/**
 * Renders a single-line field. @param type type of the input element: `text`, `email`, `number`, `url`,
 * `datetime-local` …
 */
export function textField(options: FieldOptions & { value: string | number; type?: string }): PageHtml {
  const { value, type = 'text' } = options
  return field(options, html`<input type="${type}" value="${value}" ${common(options)} />`)
}

/** Renders a multi-line field. */
export function textArea(options: FieldOptions & { value: string; rows?: number }): PageHtml {
  // Browsers drop the first line break of a textarea.
  return field(
    options,
    html`<textarea rows="${options.rows ?? 4}" ${common(options)}>${'\n'}${options.value}</textarea>`,
  )
}

/** Renders a select element. */
export function selectField(options: FieldOptions & { value: string; choices: readonly Choice[] }): PageHtml {
  return field(
    options,
    html`<select${common(options)}>${options.choices.map((choice) => option(choice, choice.value === options.value))}</select>`,
  )
}

/** Renders a checkbox. An unchecked box is not submitted. */
export function checkbox(options: FieldOptions & { checked: boolean; value?: string }): PageHtml {
  const { value = '1', checked, label } = options
  const box = html`<input type="checkbox" value="${value}" ${checked ? html` checked` : null}${common(options)} />`
  return html`<div class="field check">${box} <label for="${idOf(options)}">${label}</label>${around(options)}</div>`
}

/** Renders a group of checkboxes or radio buttons. @param values the selected values */
export function choiceField(
  options: FieldOptions & { values: readonly string[]; choices: readonly Choice[]; many?: boolean },
): PageHtml {
  const { choices, values, name, many = false } = options
  const items = choices.map((choice, index) => {
    const id = `${idOf(options)}-${index}`
    const chosen = values.includes(choice.value) ? html` checked` : null
    const off = choice.disabled === true ? html` disabled` : null
    return html`<li>
      <input
        type="${many ? 'checkbox' : 'radio'}"
        id="${id}"
        name="${many ? `${name}[]` : name}"
        value="${choice.value}"
        ${chosen}${off}
      />
      <label for="${id}">${choice.label}</label>
    </li>`
  })
  return html`<fieldset class="field" ${described(options)}>
    <legend>${options.label}</legend>
    <ul class="choices">
      ${items}
    </ul>
    ${around(options)}
  </fieldset>`
}

/** Renders a field with label, help text and error around an element that uses `common(options)`. */
export function field(options: FieldOptions, element: PageHtml): PageHtml {
  const mark = options.required === true ? html` <span class="required" aria-hidden="true">*</span>` : null
  return html`<div class="field">
    <label for="${idOf(options)}">${options.label}${mark}</label>${element}${around(options)}
  </div>`
}

/** Returns the attributes of the element of a field: ID, name and descriptions. */
export function common(options: FieldOptions): PageHtml {
  const { name, error, required, disabled, attributes } = options
  return html` id="${idOf(options)}"
  name="${name}"${described(options)}${error === undefined ? null : html` aria-invalid="true"`}${required === true ? html` required` : null}${disabled === true ? html` disabled` : null}${attributes}`
}

/** Ties help text and error of a field to its element. */
function described(options: FieldOptions): PageHtml | null {
  const { hint, error } = options
  const id = idOf(options)
  const ids = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`].filter(Boolean)
  return ids.length > 0 ? html` aria-describedby="${ids.join(' ')}"` : null
}

const idOf = ({ id, name }: FieldOptions) => id ?? `field-${name.replace(/[^\w-]+/g, '-')}`

function around(options: FieldOptions): PageHtml {
  const { hint, error } = options
  const id = idOf(options)
  return html`${hint === undefined ? null : html`<p class="hint" id="${id}-hint">${hint}</p>`}${error === undefined ? null : html`<p class="field-error" id="${id}-error">${error}</p>`}`
}

function option({ value, label, disabled }: Choice, isChosen: boolean): PageHtml {
  return html`<option
    value="${value}"
    ${isChosen ? html` selected` : null}${disabled === true ? html` disabled` : null}
  >
    ${label}
  </option>`
}
