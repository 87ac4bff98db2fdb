import { messageOf, type Form } from './forms.ts'
import { isRequired, optionOf, tagsOf, type FormTag } from './tags.ts'

/** A rule of the schema of a form. */
export interface FormRule {
  readonly rule: string
  readonly field: string
  readonly threshold?: number | string
  readonly accept?: readonly string[]
  readonly error: string
}

/** A value that a visitor has sent. */
export type FieldValue = string | readonly string[]
/** A file that a visitor has sent. */
export interface FieldFile {
  readonly filename: string
  readonly size: number
}

const MAX_TEXT_LENGTH = 400
const MAX_TEXTAREA_LENGTH = 2000
const MAX_FILE_BYTES = 1_048_576
/** Extensions of files that a field accepts unless it names others. */
const FILE_TYPES = 'jpg|jpeg|png|gif|pdf|doc|docx|ppt|pptx|odt|avi|ogg|m4a|mov|mp3|mp4|mpg|wav|wmv'

/** Returns the rules of a form, in the order in which they are checked. */
export function rulesOf(form: Form): FormRule[] {
  const tags = tagsOf(form.form)
  const of = (...types: string[]) => tags.filter(({ basetype }) => types.includes(basetype))
  const error = (name: string) => messageOf(form, name)
  const required = (tag: FormTag): FormRule[] =>
    isRequired(tag) ? [{ rule: 'required', field: tag.name, error: error('invalid_required') }] : []
  return [
    ...of('checkbox', 'radio').flatMap((tag): FormRule[] => {
      const isSingle = tag.basetype === 'radio' || tag.options.includes('exclusive')
      const single = { rule: 'maxitems', field: tag.name, threshold: 1, error: 'Too many items are selected.' }
      return [...required(tag), ...(isSingle ? [single] : [])]
    }),
    ...of('date').flatMap((tag) => [
      ...required(tag),
      { rule: 'date', field: tag.name, error: error('invalid_date') },
      ...limits(tag, 'date', error('date_too_early'), error('date_too_late')),
    ]),
    ...of('file').flatMap((tag): FormRule[] => [
      ...(isRequired(tag) ? [{ rule: 'requiredfile', field: tag.name, error: error('invalid_required') }] : []),
      { rule: 'file', field: tag.name, accept: extensionsOf(tag), error: error('upload_file_type_invalid') },
      { rule: 'maxfilesize', field: tag.name, threshold: fileLimit(tag), error: error('upload_file_too_large') },
    ]),
    ...of('number', 'range').flatMap((tag) => [
      ...required(tag),
      { rule: 'number', field: tag.name, error: error('invalid_number') },
      ...limits(tag, 'number', error('number_too_small'), error('number_too_large')),
    ]),
    ...of('select').flatMap(required),
    ...of('text', 'email', 'url', 'tel').flatMap((tag): FormRule[] => [
      ...required(tag),
      ...(tag.basetype === 'text'
        ? []
        : [{ rule: tag.basetype, field: tag.name, error: error(`invalid_${tag.basetype}`) }]),
      ...lengths(tag, MAX_TEXT_LENGTH, error('invalid_too_short'), error('invalid_too_long')),
    ]),
    ...of('textarea').flatMap((tag) => [
      ...required(tag),
      ...lengths(tag, MAX_TEXTAREA_LENGTH, error('invalid_too_short'), error('invalid_too_long')),
    ]),
    ...[...of('checkbox', 'radio'), ...of('select')].map((tag) => ({
      rule: 'enum',
      field: tag.name,
      accept: tag.values,
      error: 'Undefined value was submitted through this field.',
    })),
  ]
}

/** Returns the first error of each field, in the order of the rules. */
export function checkFields(
  rules: readonly FormRule[],
  values: ReadonlyMap<string, FieldValue>,
  files: ReadonlyMap<string, readonly FieldFile[]>,
  skipped: ReadonlySet<string> = new Set(),
): Map<string, string> {
  const found = new Map<string, string>()
  for (const rule of rules) {
    if (found.has(rule.field) || skipped.has(rule.field)) continue
    if (
      !meets(
        rule,
        [values.get(rule.field) ?? []].flat().map((value) => value.trim()),
        files.get(rule.field) ?? [],
      )
    )
      found.set(rule.field, rule.error)
  }
  return found
}

function meets(
  { rule, threshold, accept = [] }: FormRule,
  sent: readonly string[],
  files: readonly FieldFile[],
): boolean {
  const values = sent.filter((value) => value !== '')
  switch (rule) {
    case 'required':
      return values.length > 0
    case 'requiredfile':
      return files.length > 0
    case 'file':
      return files.every(({ filename }) => accept.some((extension) => filename.toLowerCase().endsWith(extension)))
    case 'maxfilesize':
      return files.every(({ size }) => size <= Number(threshold))
    case 'maxitems':
      return values.length <= Number(threshold)
    case 'enum':
      return values.every((value) => accept.includes(value))
    case 'minlength':
      return values.every(({ length }) => length >= Number(threshold))
    case 'maxlength':
      return values.every(({ length }) => length <= Number(threshold))
    case 'minnumber':
      return values.every((value) => Number(value) >= Number(threshold))
    case 'maxnumber':
      return values.every((value) => Number(value) <= Number(threshold))
    case 'mindate':
      return values.every((value) => value >= String(threshold))
    case 'maxdate':
      return values.every((value) => value <= String(threshold))
    default:
      return values.every((value) => isOfKind(rule, value))
  }
}

function isOfKind(kind: string, value: string): boolean {
  switch (kind) {
    case 'email':
      return /^[^\s@<>"(),:;[\]\\]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}$/i.test(value)
    case 'url':
      return /^(?:https?|ftps?):\/\//i.test(value) && URL.canParse(value)
    case 'tel':
      return value.length <= 100 && /^[+]?[\d().\-/*#\s]+$/.test(value) && /\d/.test(value)
    case 'number':
      return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(value.slice(0, 100))
    case 'date': {
      const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? []
      const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
      return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
    }
    default:
      return true
  }
}

function limits(tag: FormTag, kind: string, low: string, high: string): FormRule[] {
  const [min, max] = [optionOf(tag, 'min'), optionOf(tag, 'max')]
  return [
    ...(min === undefined ? [] : [{ rule: `min${kind}`, field: tag.name, threshold: min, error: low }]),
    ...(max === undefined ? [] : [{ rule: `max${kind}`, field: tag.name, threshold: max, error: high }]),
  ]
}

function lengths(tag: FormTag, preset: number, short: string, long: string): FormRule[] {
  const min = Number(optionOf(tag, 'minlength'))
  const max = Number(optionOf(tag, 'maxlength'))
  return [
    ...(min > 0 ? [{ rule: 'minlength', field: tag.name, threshold: min, error: short }] : []),
    { rule: 'maxlength', field: tag.name, threshold: max > 0 ? max : preset, error: long },
  ]
}

function extensionsOf(tag: FormTag): string[] {
  const types = optionOf(tag, 'filetypes') ?? FILE_TYPES
  return types.split('|').flatMap((type) => (type.includes('/') ? [] : [`.${type.replace(/^\./, '').toLowerCase()}`]))
}

function fileLimit(tag: FormTag): number {
  const [, number, unit] = /^(\d{1,12})([km]b)?$/i.exec(optionOf(tag, 'limit') ?? '') ?? []
  if (number === undefined) return MAX_FILE_BYTES
  const factors: Readonly<Record<string, number>> = { kb: 1024, mb: 1_048_576 }
  return Number(number) * (factors[unit?.toLowerCase() ?? ''] ?? 1)
}
