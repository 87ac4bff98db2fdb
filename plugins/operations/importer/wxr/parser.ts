import { errors } from '../errors.ts'
import { looksSerialised } from '../php-values.ts'
import type { Repair, RepairCode } from '../repairs.ts'
import { cleanCharacters, decodeReferences } from './characters.ts'
import type { Element } from './element.ts'
import { canContain, isKnown, isLeaf, isUnmistakable, missingBetween } from './grammar.ts'
import { readLeaf, type Leaf, type LeafPlace, type ReportAt } from './leaf.ts'
import { Prolog, skipToFurther } from './prolog.ts'
import { RecordReader } from './records.ts'
import { readTag, type Tag } from './tags.ts'
import { TextBuffer } from './text-buffer.ts'
import type { WxrLimits, WxrRecord } from './types.ts'

/** Options of the reader. */
export interface WxrOptions extends WxrLimits {
  /** Whether a file that ends before the end of the export is read as far as possible. Default: false. */
  acceptTruncated?: boolean | undefined
}

/** An element whose end tag is not read yet. Its text is the text since its last child. */
interface OpenElement extends Element {
  /** Whether the parser opened it because its start tag is missing. */
  isImplied: boolean
}

/** Maximum characters of a value in a repair. */
const MAX_VALUE_LENGTH = 120
const CDATA = '<![CDATA['
const NO_CHILDREN: Element[] = []

/**
 * Converts the text of a WXR file to records, piece by piece. Reads well-formed text as XML does, and repairs other
 * text; each repair is reported. Entities are never expanded.
 */
export class WxrParser {
  readonly #buffer = new TextBuffer()
  readonly #prolog = new Prolog()
  readonly #reader = new RecordReader()
  readonly #options: WxrOptions
  readonly #recordLimit: number
  readonly #depthLimit: number
  readonly #stack: OpenElement[] = []
  readonly #place: LeafPlace = {
    name: '',
    isOpen: (name) => this.#stack.some((open) => open.name === name),
    fits: (name) => this.#stack.some((open) => canContain(open.name, name)),
    isSerialised: (text) => this.#place.name === 'wp:meta_value' && looksSerialised(text),
  }
  readonly #reportAt: ReportAt = (code, at, value) => this.#repair(code, at, value)
  #state: 'before' | 'inside' | 'after' = 'before'
  /** Characters of the file up to the end of the last record. */
  #recordStart = 0
  /** Repairs since the end of the last record. */
  #repairs: Repair[] = []
  /** Repairs of bytes, with their position in the file: they are found before the records. */
  #ofBytes: [position: number, repair: Repair][] = []

  constructor(options: WxrOptions) {
    this.#options = options
    this.#depthLimit = options.depth ?? 32
    this.#recordLimit = options.record ?? 64 * 1024 * 1024
  }

  /** Parses the next piece of the file. @throws IMPORT_DOCTYPE, IMPORT_TOO_DEEP, IMPORT_RECORD_TOO_LARGE */
  write(text: string): void {
    const buffer = this.#buffer
    if (buffer.add(text)) this.#parse()
    if (this.#state !== 'inside' || buffer.added - this.#recordStart <= this.#recordLimit) return
    buffer.join()
    this.#parse()
    if (buffer.added - this.#recordStart <= this.#recordLimit) return
    throw errors.IMPORT_RECORD_TOO_LARGE({ line: buffer.lastPlace.line, limit: this.#recordLimit })
  }

  /** Adds a repair of the piece that is written next. @param index position in the piece */
  noteNext(code: RepairCode, piece: string, index: number, value: string): void {
    const line = this.#buffer.lineOfNext(piece, index)
    this.#ofBytes.push([this.#buffer.added + index, { code, line, item: '', value }])
  }

  /** Ends the file. @throws IMPORT_NOT_AN_EXPORT, IMPORT_TRUNCATED */
  end(): void {
    const buffer = this.#buffer
    buffer.end()
    this.#parse()
    const { line, column } = buffer.lastPlace
    if (this.#state === 'before') throw this.#prolog.failure(buffer.added === 0)
    const [, inner] = this.#stack
    if (inner !== undefined) {
      if (this.#options.acceptTruncated !== true) throw errors.IMPORT_TRUNCATED({ line, column })
      this.#repair('truncated', buffer.text.length, inner.name)
      // An incomplete record would lack values such as its status.
      this.#reader.skipIncomplete(this.#stack[2]?.name ?? '')
    } else if (this.#stack.length > 0) this.#repair('unclosed-element', buffer.text.length, 'rss')
    if (!this.#reader.isExport) throw errors.IMPORT_NOT_AN_EXPORT({ reason: 'its channel does not describe a site' })
    this.#reader.end(this.#takeRepairs(Infinity))
  }

  /** Returns the completed records, each once. */
  takeRecords(): WxrRecord[] {
    return this.#reader.take()
  }

  #parse(): void {
    while (this.#step());
  }

  /** Parses the next part. Returns false if the buffer contains no complete part. */
  #step(): boolean {
    const buffer = this.#buffer
    if (this.#state === 'inside') return this.#readNext()
    const isBefore = this.#state === 'before'
    const from = buffer.at
    const isFound = isBefore ? this.#prolog.skip(buffer) : skipToFurther(buffer)
    const junk = this.#prolog.junkIn(buffer.text.slice(from, buffer.at), isBefore)
    if (junk !== null) this.#repair(isBefore ? 'text-before' : 'text-after', from + junk.index, junk.text)
    this.#recordStart = buffer.parsed
    if (isFound) this.#state = 'inside'
    return isFound
  }

  /** Reads the text up to the next tag, and the tag; of elements that contain text only, the whole element. */
  #readNext(): boolean {
    const { text, ended } = this.#buffer
    const at = text.indexOf('<', this.#buffer.at)
    this.#addText(text.slice(this.#buffer.at, at === -1 ? text.length : at))
    this.#buffer.at = at === -1 ? text.length : at
    if (at === -1 || (!ended && text.length - at < CDATA.length)) return false
    if (text[at + 1] === '!' || text[at + 1] === '?') return this.#skipMarkup(at)
    const repairs: Repair[] = []
    const tag = readTag(this.#buffer, at, (code, value) => repairs.push(this.#repairAt(code, at, value)))
    if (tag === undefined) return false
    if (tag === null) return this.#readAsText(at, at + 1)
    if (tag.isEnd) {
      this.#repairs.push(...repairs)
      this.#closeTag(tag.name, at, tag.end)
      return true
    }
    if (!this.#readElement(tag, at)) return false
    this.#repairs.push(...repairs)
    return true
  }

  /** Skips a comment or a processing instruction, and reads a CDATA section as text. */
  #skipMarkup(at: number): boolean {
    const { text, ended } = this.#buffer
    if (/^<!DOCTYPE/i.test(text.slice(at, at + 9))) throw errors.IMPORT_DOCTYPE({ line: this.#buffer.lineAt(at) })
    const [start, end] = text.startsWith('<!--', at)
      ? ['<!--', '-->']
      : text.startsWith(CDATA, at)
        ? [CDATA, ']]>']
        : text[at + 1] === '?'
          ? ['<?', '?>']
          : ['', '']
    if (start === '') return this.#readAsText(at, at + 1)
    const close = this.#buffer.find(end, at + start.length)
    if (close === -1 && !ended) return false
    // Within a comment or an instruction, the start of another one means that the end is missing.
    const inside = close === -1 ? '' : text.slice(at + start.length, close)
    if (close === -1 || (start !== CDATA && inside.includes(start === '<?' ? '<' : start))) {
      const lineEnd = text.slice(at + 1, at + 1000).search(/[\n<]/)
      this.#repair('malformed-tag', at, text.slice(at, at + 40))
      this.#buffer.at = lineEnd === -1 ? at + start.length : at + 1 + lineEnd
      return true
    }
    if (start === CDATA) this.#addText(inside)
    this.#buffer.at = close + end.length
    return true
  }

  #readAsText(at: number, end: number): true {
    this.#addText(this.#buffer.text.slice(at, end))
    this.#buffer.at = end
    return true
  }

  #addText(text: string): void {
    const top = this.#stack.at(-1)
    if (top !== undefined && (top.text !== '' || text.trim() !== '')) top.text += text
  }

  /** Opens an element, or reads it if it contains text only. Returns false if the buffer does not contain all of it. */
  #readElement(tag: Tag, at: number): boolean {
    const { name } = tag
    if (!this.#makePlace(name, at)) {
      this.#buffer.at = tag.end
      return true
    }
    const top = this.#stack.at(-1)
    if (this.#stack.length >= this.#depthLimit)
      throw errors.IMPORT_TOO_DEEP({ line: this.#buffer.lineAt(at), limit: this.#depthLimit })
    const line = this.#buffer.lineAt(at)
    const { attributes } = tag
    if (top !== undefined && isLeaf(name) && canContain(top.name, name)) {
      const leaf = tag.isEmpty ? { text: '', end: tag.end } : this.#readLeaf(name, tag.end)
      if (leaf === undefined) return false
      this.#buffer.at = leaf.end
      this.#add(top, { name, text: leaf.text, attributes, children: NO_CHILDREN, line })
      return true
    }
    this.#buffer.at = tag.end
    this.#stack.push({ name, text: '', attributes, children: [], line, isImplied: false })
    if (tag.isEmpty) this.#close()
    return true
  }

  #readLeaf(name: string, from: number): Leaf | undefined {
    this.#place.name = name
    return readLeaf(this.#buffer, from, this.#place, this.#reportAt)
  }

  /**
   * Ends elements that cannot contain the next one, and opens elements whose start tag is missing.
   * @returns false if the tag of the next element is superfluous
   */
  #makePlace(name: string, at: number): boolean {
    const stack = this.#stack
    if (stack.length === 0) {
      if (name !== 'rss') this.#imply('rss', at)
      else return true
    }
    if (!isKnown(name)) return true
    const top = stack.at(-1)!
    if (name === 'rss' || (name === 'channel' && stack.some((open) => open.name === name))) {
      this.#repair('misplaced-element', at, name)
      this.#endAbove(
        stack.findLastIndex((open) => open.name === name),
        at,
      )
      return false
    }
    if (canContain(top.name, name)) {
      const isNext = top.isImplied && isLeaf(name) && top.children.some((child) => child.name === name)
      if (!isNext) return true
      this.#endAbove(stack.length - 2, at)
      this.#imply(top.name, at)
      return true
    }
    const isInUnknown = !isKnown(top.name)
    const parent = stack.findLastIndex((open) => canContain(open.name, name))
    if (isInUnknown && (!isUnmistakable(name) || this.#rename(name, at))) return true
    if (parent !== -1) {
      this.#endAbove(parent, at)
      return true
    }
    const ancestor = stack.findLastIndex((open) => missingBetween(open.name, name) !== undefined)
    if (ancestor === -1) return true
    this.#endAbove(ancestor, at)
    this.#imply(missingBetween(stack[ancestor]!.name, name)!, at)
    return true
  }

  /** Corrects the name of an unknown element if it can only be the parent of a known one. Returns whether it did. */
  #rename(child: string, at: number): boolean {
    const unknown = this.#stack.at(-1)!
    const parent = this.#stack.at(-2)
    const name = parent === undefined ? undefined : missingBetween(parent.name, child)
    if (name === undefined || canContain(parent!.name, child)) return false
    this.#repair('malformed-tag', at, unknown.name)
    unknown.name = name
    return true
  }

  #imply(name: string, at: number): void {
    this.#repair('missing-start-tag', at, name)
    const line = this.#buffer.lineAt(at)
    this.#stack.push({ name, text: '', attributes: {}, children: [], line, isImplied: true })
  }

  /** Ends the elements above an index of the stack. */
  #endAbove(index: number, at: number): void {
    while (this.#stack.length > index + 1) {
      const { name, isImplied } = this.#stack.at(-1)!
      if (!isImplied) this.#repair('unclosed-element', at, name)
      this.#close()
    }
  }

  #closeTag(name: string, at: number, end: number): void {
    const stack = this.#stack
    const top = stack.at(-1)
    this.#buffer.at = end
    if (top === undefined) return
    const index = stack.findLastIndex((open) => open.name === name)
    if (index !== -1) {
      this.#endAbove(index, at)
      return this.#close()
    }
    const parent = stack.at(-2)
    if (!isKnown(top.name) && parent !== undefined && canContain(parent.name, name)) {
      this.#repair('wrong-end-tag', at, name)
      top.name = name
      if (isLeaf(name)) top.text = this.#textOf(top.text)
      return this.#close()
    }
    if (isLeaf(name) && canContain(top.name, name) && top.text.trim() !== '') {
      this.#repair('missing-start-tag', at, name)
      const text = this.#textOf(top.text)
      top.text = ''
      return this.#add(top, { name, text, attributes: {}, children: [], line: this.#buffer.lineAt(at) })
    }
    this.#repair('unexpected-end-tag', at, name)
  }

  /** The value of a text that was read outside of its element. */
  #textOf(text: string): string {
    return cleanCharacters(
      decodeReferences(text, () => {}),
      () => {},
    )
  }

  /** Ends the innermost element. */
  #close(): void {
    const element = this.#stack.pop()!
    const parent = this.#stack.at(-1)
    if (parent === undefined) {
      this.#state = 'after'
      return
    }
    if (isKnown(element.name) && !isLeaf(element.name)) this.#dropText(element)
    this.#add(parent, element)
  }

  /** Adds a complete element to its parent; children of the channel become records. */
  #add(parent: OpenElement, element: Element): void {
    if (isKnown(parent.name)) this.#dropText(parent)
    if (this.#stack.length !== 2 || parent.name !== 'channel') {
      if (this.#stack.length > 2) parent.children.push(element)
      else if (element.name !== 'channel') this.#reader.unknown(`${parent.name}/${element.name}`)
      return
    }
    this.#recordStart = this.#buffer.parsed
    this.#reader.add(element, this.#takeRepairs(this.#recordStart))
  }

  /** Drops text between elements. */
  #dropText(element: OpenElement): void {
    if (element.text.trim() !== '') this.#repair('stray-text', this.#buffer.at, element.text.trim())
    element.text = ''
  }

  /** Returns the repairs up to a position in the file, each once. */
  #takeRepairs(position: number): Repair[] {
    const repairs = this.#repairs
    this.#repairs = []
    if (this.#ofBytes.length > 0) {
      const next = this.#ofBytes.findIndex(([at]) => at >= position)
      const taken = this.#ofBytes.splice(0, next === -1 ? Infinity : next)
      repairs.push(...taken.map(([, repair]) => repair))
    }
    return repairs
  }

  #repair(code: RepairCode, at: number, value = ''): void {
    this.#repairs.push(this.#repairAt(code, at, value))
  }

  #repairAt(code: RepairCode, at: number, value: string): Repair {
    return { code, line: this.#buffer.lineAt(at), item: '', value: value.slice(0, MAX_VALUE_LENGTH) }
  }
}
