import { QuoteType, Tokenizer } from 'htmlparser2'

/** What is told of an HTML text, in its order. */
export interface TagReader {
  /** The start of an element, with its attributes by their names in lower case; the first of several counts. */
  open(name: string, attributes: ReadonlyMap<string, string>): void
  /** Text between tags, entities decoded; it may come in pieces. */
  text?(text: string): void
  close?(name: string): void
}

/**
 * Reads the tags of an HTML text that may come from anybody, until `reader` says that it is over. It keeps no account of
 * which elements are open: its time is linear in the text, whatever is left open in it.
 * @param xml reads XML instead: CDATA sections are text, `<a/>` opens and closes an element, and no element has a special
 *   content. Entities that a DOCTYPE declares stay as they are written
 */
export function readTags(html: string, isOver: () => boolean, reader: TagReader, xml = false): void {
  let name = ''
  let attribute = ''
  let value = ''
  let attributes = new Map<string, string>()
  const opened = () => reader.open(name, attributes)
  const during = (tell: () => void) => {
    tell()
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
      onopentagend: () => during(opened),
      onselfclosingtag: () =>
        during(() => {
          opened()
          if (xml) reader.close?.(name)
        }),
      ontext: (start, end) => during(() => reader.text?.(html.slice(start, end))),
      ontextentity: (codepoint) => during(() => reader.text?.(String.fromCodePoint(codepoint))),
      onclosetag: (start, end) => during(() => reader.close?.(html.slice(start, end).toLowerCase())),
      oncomment() {},
      oncdata: (start, end, offset) => during(() => reader.text?.(html.slice(start, end - offset))),
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  )
  tokenizer.write(html)
}
