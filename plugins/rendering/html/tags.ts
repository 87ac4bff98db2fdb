import { QuoteType, Tokenizer } from 'htmlparser2'

/** Callbacks for the parts of an HTML text, in document order. */
export interface TagReader {
  /** Called for a start tag. Attribute names are in lower case; the first of duplicate attributes wins. */
  open(name: string, attributes: ReadonlyMap<string, string>): void
  /** Called for text between tags with decoded entities; one text can arrive in several pieces. */
  text?(text: string): void
  close?(name: string): void
}

/**
 * Reads the tags of untrusted HTML until `isOver` returns true. Does not track open elements, so unclosed elements
 * cannot make it slower than linear.
 * @param xml parses XML instead: CDATA sections are text, `<a/>` opens and closes an element, and no element has raw
 * text content. Entities that a DOCTYPE declares are not expanded
 */
export function readTags(html: string, isOver: () => boolean, reader: TagReader, xml = false): void {
  let name = ''
  let attribute = ''
  let value = ''
  let attributes = new Map<string, string>()
  const opened = () => reader.open(name, attributes)
  const notify = (emit: () => void) => {
    emit()
    if (isOver()) tokenizer.pause()
  }
  const tokenizer = new Tokenizer(
    { decodeEntities: true, xmlMode: xml },
    {
      onopentagname(start, end) {
        name = html.slice(start, end).toLowerCase()
        attributes = new Map()
      },
      onattribname(start, end) {
        attribute = html.slice(start, end).toLowerCase()
        value = ''
      },
      onattribdata(start, end) {
        value += html.slice(start, end)
      },
      onattribentity(codepoint) {
        value += String.fromCodePoint(codepoint)
      },
      onattribend(quote) {
        if (!attributes.has(attribute)) attributes.set(attribute, quote === QuoteType.NoValue ? '' : value)
      },
      onopentagend: () => notify(opened),
      onselfclosingtag: () =>
        notify(() => {
          opened()
          if (xml) reader.close?.(name)
        }),
      ontext: (start, end) => notify(() => reader.text?.(html.slice(start, end))),
      ontextentity: (codepoint) => notify(() => reader.text?.(String.fromCodePoint(codepoint))),
      onclosetag: (start, end) => notify(() => reader.close?.(html.slice(start, end).toLowerCase())),
      oncomment() {},
      oncdata: (start, end, offset) => notify(() => reader.text?.(html.slice(start, end - offset))),
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  )
  tokenizer.write(html)
}
