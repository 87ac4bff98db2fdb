/** A shortcode tag in a text; `start` and `end` include its brackets. */
export interface ShortcodeTag {
  start: number
  end: number
  /** Registered name. */
  name: string
  kind: 'open' | 'close' | 'empty'
  /** Text between the name and the closing bracket. */
  attributes: string
  /** `[[name]]`: the tag is shown as text with single brackets. */
  escaped: boolean
}

const NAME = /\[(\[?)(\/?)([\w-]+)(?![\w-])/y

/**
 * Finds the tags of named shortcodes in a text, in order: `[name …]`, `[name … /]`, `[/name]`. Brackets inside quoted
 * attributes do not end a tag; an unterminated tag is text. Runs in linear time.
 */
export function* shortcodeTags(text: string, names: ReadonlySet<string>): Generator<ShortcodeTag> {
  let unended = false
  for (let at = text.indexOf('['); at >= 0 && !unended; at = text.indexOf('[', at)) {
    NAME.lastIndex = at
    const [opening = '', bracket = '', slash = '', name = ''] = NAME.exec(text) ?? []
    if (!names.has(name)) {
      // The second of two brackets can begin a tag.
      at += 1
      continue
    }
    const last = endOf(text, at + opening.length)
    if (last < 0) {
      unended = true
      continue
    }
    const inside = text.slice(at + opening.length, last)
    const escaped = bracket !== '' && text[last + 1] === ']'
    const start = bracket !== '' && !escaped ? at + 1 : at
    const end = last + (escaped ? 2 : 1)
    const empty = slash === '' && inside.endsWith('/')
    const kind = slash !== '' ? 'close' : empty ? 'empty' : 'open'
    yield { start, end, name, kind, attributes: empty ? inside.slice(0, -1) : inside, escaped }
    at = end
  }
}

/**
 * Returns the index of the bracket that ends a tag, or -1. Brackets in quotes are skipped; if the quotes
 * are not paired before the next tag, the first bracket counts.
 */
function endOf(text: string, from: number): number {
  const plain = text.indexOf(']', from)
  if (plain < 0) return -1
  for (let at = from; at < text.length; at++) {
    const char = text[at]!
    if (char === ']') return at
    if (char === '[') return plain
    if (char !== '"' && char !== "'") continue
    const closing = text.indexOf(char, at + 1)
    if (closing < 0) return plain
    at = closing
  }
  return plain
}
