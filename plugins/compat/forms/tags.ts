/** A form tag: `[text* your-name maxlength:30 "value"]`. */
export interface FormTag {
  /** With its asterisk: `text*`. */
  readonly type: string
  readonly basetype: string
  readonly name: string
  readonly options: readonly string[]
  readonly raw_values: readonly string[]
  readonly labels: readonly string[]
  readonly values: readonly string[]
  readonly pipes: readonly (readonly [label: string, value: string])[]
  /** Text between the tag and its closing tag. */
  readonly content: string
}

/** A part of a template: HTML, or a tag. */
export type TemplatePart = string | FormTag

const WITH_NAME = [
  'text',
  'email',
  'url',
  'tel',
  'textarea',
  'number',
  'range',
  'date',
  'checkbox',
  'radio',
  'select',
  'file',
  'quiz',
  'hidden',
  'acceptance',
  'count',
  'captchac',
  'captchar',
]
const WITHOUT_NAME = ['submit', 'response']
const NAME = /^[A-Za-z][\w:.-]{0,200}$/
/** Maximum number of tags in a template. */
const MAX_TAGS = 500
const MAX_TAG_LENGTH = 20_000

/** Splits a template at its tags, in linear time. `[[text]]` and unknown tags stay text. */
export function parseTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let text = ''
  let at = 0
  let tags = 0
  while (at < template.length) {
    const start = template.indexOf('[', at)
    if (start === -1 || tags >= MAX_TAGS) break
    const end = closingOf(template, start)
    const tag = end === -1 ? null : readTag(template.slice(start + 1, end))
    if (tag === null || template[start + 1] === '[') {
      text += template.slice(at, start + 1)
      at = start + 1
      continue
    }
    text += template.slice(at, start)
    if (text !== '') parts.push(text)
    text = ''
    at = end + 1
    tags += 1
    const closing = `[/${tag.type}]`
    const close = tag.basetype === 'acceptance' || tag.basetype === 'textarea' ? template.indexOf(closing, at) : -1
    if (close === -1) parts.push(tag)
    else {
      parts.push({ ...tag, content: template.slice(at, close).trim() })
      at = close + closing.length
    }
  }
  text += template.slice(at)
  if (text !== '') parts.push(text)
  return parts
}

/** Returns the tags of a template. */
export function tagsOf(template: string): FormTag[] {
  return parseTemplate(template).filter((part) => typeof part !== 'string')
}

/** Returns the value of an option `name:value` of a tag; undefined if it is missing. */
export function optionOf({ options }: FormTag, name: string): string | undefined {
  return options.find((option) => option.startsWith(`${name}:`))?.slice(name.length + 1)
}

export const isRequired = ({ type, basetype }: FormTag): boolean => type.endsWith('*') || basetype === 'radio'

/** Returns the index of the bracket that closes a tag; brackets within quotes count as text. */
function closingOf(template: string, start: number): number {
  let quote = ''
  const limit = Math.min(template.length, start + MAX_TAG_LENGTH)
  for (let at = start + 1; at < limit; at += 1) {
    const mark = template[at]!
    if (quote !== '') quote = mark === quote ? '' : quote
    else if (mark === ']') return at
    else if (mark === '[') return -1
    else if (mark === '"' || mark === "'") quote = mark
  }
  return -1
}

function readTag(text: string): FormTag | null {
  const words = [...text.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)]
  const type = words.shift()?.[3] ?? ''
  const basetype = type.replace(/\*$/, '')
  const hasName = WITH_NAME.includes(basetype)
  if (!hasName && !WITHOUT_NAME.includes(basetype)) return null
  const options: string[] = []
  const raw: string[] = []
  for (const [, double, single, plain] of words) {
    if (plain === undefined) raw.push(double ?? single ?? '')
    else options.push(plain)
  }
  const name = hasName ? (options.shift() ?? '') : ''
  if (hasName && !NAME.test(name)) return null
  const pipes = raw.map((value): [string, string] => {
    const bar = value.indexOf('|')
    return bar === -1 ? [value, value] : [value.slice(0, bar), value.slice(bar + 1)]
  })
  const labels = pipes.map(([label]) => label)
  return { type, basetype, name, options, raw_values: raw, labels, values: labels, pipes, content: '' }
}
