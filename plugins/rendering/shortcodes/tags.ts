/** A shortcode tag in a text; start and end include its brackets. */
export interface ShortcodeTag {
  start: number
  end: number
  /** The name that it is registered with. */
  name: string
  kind: 'open' | 'close' | 'empty'
  /** The text between the name and the bracket. */
  attributes: string
  /** `[[name]]`: the tag is shown as text, with one pair of brackets. */
  escaped: boolean
}

const NAME = /\[(\[?)(\/?)([\w-]+)(?![\w-])/y

/**
 * The tags of the named shortcodes in a text, in their order: `[name …]`, `[name … /]`, `[/name]`. Brackets in quoted
 * attributes do not close a tag. A tag that is not closed is text. The time is linear in the length.
 */
export function* shortcodeTags(text: string, names: ReadonlySet<string>): Generator<ShortcodeTag> {
  let unended = false
  for (let at = text.indexOf('['); at >= 0 && !unended; at = text.indexOf('[', at)) {
    NAME.lastIndex = at
    const [opening = '', bracket = '', slash = '', name = ''] = NAME.exec(text) ?? []
    if (!names.has(name)) {
      // The second bracket of two may begin a tag.
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
 * Index of the bracket that closes a tag; -1 where there is none. Brackets in quotes do not; where quotes are not paired
 * before the next tag begins, the first bracket does.
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
