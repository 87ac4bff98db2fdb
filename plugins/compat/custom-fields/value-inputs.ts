import {
  checkbox,
  choiceField,
  html,
  mediaField,
  selectField,
  textArea,
  textField,
  type AdminView,
  type FieldOptions,
  type PageHtml,
} from '../../public.ts'
import { isBranch, newBranch, partOf, rowsAt, textAt, type FormBranch, type FormTree } from './form-tree.ts'
import { numberSetting, textSetting, type Field } from './model.ts'
import { valueFields } from './shape.ts'
import type { ShownFiles } from './value-files.ts'
import { instructionsOf, kindOf, layoutOf } from './value-forms.ts'

/** Messages by the place of a field. */
export type PlacedErrors = Readonly<Record<string, string>>

/** Renders the fields of an object. @param tree their values; fields without one are empty */
export function fieldInputs(
  view: AdminView,
  fields: readonly Field[],
  tree: FormTree | undefined,
  errors: PlacedErrors,
  { prefix, place = '', files }: Omit<Place, 'place'> & { place?: string },
): PageHtml[] {
  return valueFields(fields).map((field) => {
    const part = partOf(field.key)
    const value = isBranch(tree) ? tree[part] : undefined
    return input(view, field, value, errors, { prefix, place: `${place}${part}`, files })
  })
}

interface Place {
  /** Beginning of the names of all fields. */
  readonly prefix: string
  readonly place: string
  readonly files: ShownFiles
}

function input(view: AdminView, field: Field, value: FormTree | undefined, errors: PlacedErrors, at: Place): PageHtml {
  const { t } = view
  const name = `${at.prefix}.${at.place}`
  const kind = kindOf(field)
  const text = typeof value === 'string' ? value : ''
  const hint = [
    instructionsOf(field),
    kind === 'ids' ? t('IDs, separated by commas.') : kind === 'id' ? t('An ID.') : '',
  ]
    .filter((one) => one !== '')
    .join(' ')
  const error = errors[at.place]
  const label = (field.label || field.name) + (field.isRequired ? ' *' : '')
  const options: FieldOptions = { name, label, ...(hint !== '' && { hint }), ...(error !== undefined && { error }) }
  switch (kind) {
    case 'flag':
      return html`<input type="hidden" name="${name}" value="" />${checkbox({
          ...options,
          label: textSetting(field, 'message') === '' ? label : `${label}: ${textSetting(field, 'message')}`,
          checked: text === '1',
        })}`
    case 'lines':
    case 'json':
      return textArea({
        ...options,
        value: text,
        rows: 6,
        ...(kind === 'json' && { hint: [hint, t('Enter JSON.')].join(' ').trim() }),
      })
    case 'choice':
    case 'choices':
      return choices(view, field, value, options, kind === 'choices')
    case 'file': {
      // Scripts replace the hint of the field by its buttons.
      const { hint: instructions, ...own } = options
      return html`${mediaField(view, {
        ...own,
        id: `field-${name.replace(/[^\w-]+/g, '-')}`,
        value: Number(text) || 0,
        file: at.files.get(Number(text)) ?? null,
        type: field.type === 'image' ? 'image' : '',
      })}${instructions === undefined ? null : html`<p class="hint">${instructions}</p>`}`
    }
    case 'date':
    case 'datetime':
    case 'time':
      return dateInput(kind, text, options)
    case 'link':
      return fieldset(options, [
        textField({ name: `${name}.url`, label: t('URL'), value: textAt(value, 'url') }),
        textField({ name: `${name}.title`, label: t('Title'), value: textAt(value, 'title') }),
        textField({ name: `${name}.target`, label: t('Target'), value: textAt(value, 'target') }),
      ])
    case 'group':
      return fieldset(options, fieldInputs(view, field.fields, value, errors, { ...at, place: `${at.place}.` }))
    case 'rows':
    case 'layouts':
      return fieldset(options, rows(view, field, value, errors, at))
    case 'id':
    case 'ids':
    case 'number':
    case 'text':
      return textField({ ...options, value: text, ...attributesOf(field, kind, text) })
  }
}

/** Shows stored values that are no longer among the choices, so that an unchanged form keeps them. */
function choices(
  { t }: AdminView,
  field: Field,
  value: FormTree | undefined,
  options: FieldOptions,
  isMany: boolean,
): PageHtml {
  const chosen = typeof value === 'string' ? [value] : Array.isArray(value) ? (value as string[]) : []
  const known = field.choices.map(([choice, label]) => ({ value: choice, label: label || choice }))
  const unknown = chosen.filter((one) => one !== '' && !known.some((choice) => choice.value === one))
  const all = [...known, ...unknown.map((one) => ({ value: one, label: one }))]
  if (isMany)
    return html`<input
        type="hidden"
        name="${options.name}[]"
        value=""
      />${choiceField({ ...options, values: chosen, choices: all, many: true })}`
  return selectField({ ...options, value: chosen[0] ?? '', choices: [{ value: '', label: t('None') }, ...all] })
}

function dateInput(kind: 'date' | 'datetime' | 'time', text: string, options: FieldOptions): PageHtml {
  const patterns = {
    date: /^\d{4}-\d\d-\d\d$/,
    datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/,
    time: /^\d\d:\d\d(?::\d\d)?$/,
  }
  // Browsers would clear a text in another form.
  const isShown = text === '' || patterns[kind].test(text)
  const type = kind === 'datetime' ? 'datetime-local' : kind
  const attributes = kind === 'date' ? html`` : html` step="1"`
  return textField({ ...options, value: text, ...(isShown ? { type, attributes } : {}) })
}

function attributesOf(field: Field, kind: string, text: string): { type?: string; attributes?: PageHtml } {
  if (kind === 'id') return { attributes: html` inputmode="numeric"` }
  if (kind === 'number') {
    if (text !== '' && !Number.isFinite(Number(text))) return {}
    const bound = (name: string) => {
      const number = numberSetting(field, name)
      return number === null ? null : html` ${name}="${number}"`
    }
    return {
      type: 'number',
      attributes: html` step="${numberSetting(field, 'step') ?? 'any'}"${bound('min')}${bound('max')}`,
    }
  }
  const length = numberSetting(field, 'maxlength') ?? 0
  if (field.type === 'email') return { type: 'email' }
  return length > 0 ? { attributes: html` maxlength="${length}"` } : {}
}

function rows(view: AdminView, field: Field, value: FormTree | undefined, errors: PlacedErrors, at: Place): PageHtml[] {
  const { t } = view
  const name = `${at.prefix}.${at.place}`
  const isLayouts = kindOf(field) === 'layouts'
  const sent = rowsAt(newBranch({ rows: value ?? newBranch() }), 'rows')
  const stored = sent.filter((row) => textAt(row, '_new') !== '1')
  const shown = stored.map((row, index) => {
    const layout = isLayouts ? layoutOf(field, textAt(row, '_layout')) : undefined
    const fields = isLayouts ? (layout?.fields ?? []) : field.fields
    const title = t('Row {number}', { number: index + 1 })
    const label = layout === undefined ? title : `${title}: ${layout.label || layout.name}`
    return fieldset({ name: `${name}.${index}`, label }, [
      layout === undefined
        ? null
        : html`<input type="hidden" name="${name}.${index}._layout" value="${layout.name}" />`,
      ...fieldInputs(view, fields, row, errors, { ...at, place: `${at.place}.${index}.` }),
      textField({
        name: `${name}.${index}._order`,
        label: t('Position'),
        type: 'number',
        value: textAt(row, '_order') || index + 1,
        attributes: html` step="any"`,
      }),
      checkbox({
        name: `${name}.${index}._remove`,
        label: t('Remove this row'),
        checked: textAt(row, '_remove') === '1',
      }),
    ])
  })
  return [
    ...shown,
    newRow(
      view,
      field,
      sent.find((row) => textAt(row, '_new') === '1'),
      errors,
      at,
      shown.length,
    ),
  ]
}

/** Renders the row that a user can add. The fields of a layout are shown when the row has been saved. */
function newRow(
  view: AdminView,
  field: Field,
  row: FormBranch | undefined,
  errors: PlacedErrors,
  at: Place,
  index: number,
): PageHtml {
  const { t } = view
  const name = `${at.prefix}.${at.place}.${index}`
  const mark = html`<input type="hidden" name="${name}._new" value="1" />`
  if (kindOf(field) === 'rows') {
    const inner = fieldInputs(view, field.fields, row, errors, { ...at, place: `${at.place}.${index}.` })
    return fieldset({ name, label: t('New row'), hint: t('Leave it empty to add no row.') }, [mark, ...inner])
  }
  const layouts = field.layouts.map((layout) => ({ value: layout.name, label: layout.label || layout.name }))
  return html`${mark}${selectField({
    name: `${name}._layout`,
    label: t('Add a row'),
    hint: t('Save to see the fields of the new row.'),
    value: textAt(row, '_layout'),
    choices: [{ value: '', label: t('None') }, ...layouts],
  })}`
}

function fieldset({ name, label, hint, error }: FieldOptions, inner: readonly (PageHtml | null)[]): PageHtml {
  const id = `field-${name.replace(/[^\w-]+/g, '-')}-about`
  return html`<fieldset class="field" aria-describedby="${id}">
    <legend>${label}</legend>
    <div id="${id}">
      ${hint === undefined ? null : html`<p class="hint">${hint}</p>`}
      ${error === undefined ? null : html`<p class="field-error">${error}</p>`}
    </div>
    ${inner.filter((one) => one !== null)}
  </fieldset>`
}
