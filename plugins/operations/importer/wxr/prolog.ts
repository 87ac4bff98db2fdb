import { errors } from '../errors.ts'
import type { TextBuffer } from './text-buffer.ts'
import { phrase } from '../phrases.ts'

/** Start of the export, or of a document type declaration before it. */
const START = /<rss(?=[\s/>])|<!DOCTYPE(?!\s+html[\s>])|<([A-Za-z][\w:.-]{0,79})/gi
/** Start of a further record after the end of an export, as in files that were joined. */
const FURTHER = /<(?:rss|channel|item|wp:author|wp:category|wp:tag|wp:term)(?=[\s/>])/g
/** Characters at the end of the text that can be the beginning of a tag. */
const MAX_START_LENGTH = 100
/** Maximum characters of junk that are searched for a report. */
const MAX_JUNK_LENGTH = 4096

/** Finds the start of the export, after any text that servers and editors put in front of it. */
export class Prolog {
  /** The first element of the file. */
  #firstElement = ''
  /** Whether text before (true) and after (false) the export was reported. */
  readonly #reported = new Set<boolean>()

  /**
   * Skips the text before `<rss`.
   * @returns whether the start was found
   * @throws IMPORT_DOCTYPE if a document type declaration precedes it
   */
  skip(buffer: TextBuffer): boolean {
    START.lastIndex = buffer.at
    for (let found = START.exec(buffer.text); found !== null; found = START.exec(buffer.text)) {
      const [start, element = ''] = found
      if (start.startsWith('<!')) throw errors.IMPORT_DOCTYPE({ line: buffer.lineAt(found.index) })
      if (start === '<rss') {
        buffer.at = found.index
        return true
      }
      this.#firstElement ||= element
    }
    const rest = buffer.ended ? 0 : MAX_START_LENGTH
    buffer.at = Math.max(buffer.at, buffer.text.length - rest)
    return false
  }

  /** The error for a file that contains no export. */
  failure(isEmpty: boolean): Error {
    if (isEmpty) return errors.IMPORT_NOT_AN_EXPORT({ reason: 'the file is empty' })
    const name = this.#firstElement
    return errors.IMPORT_NOT_AN_EXPORT({
      reason:
        name === '' ? 'it contains no <rss> element' : phrase('its root element is <{name}>, not <rss>', { name }),
    })
  }

  /**
   * The first text around the export that is not part of XML, such as a warning of the old server; null for none, or if
   * one was returned before.
   */
  junkIn(skipped: string, isBefore: boolean): { index: number; text: string } | null {
    const blank = (text: string) => ' '.repeat(text.length)
    const rest = skipped.slice(0, MAX_JUNK_LENGTH).replace(/<\?xml[^>]*>|<!--[^>]*-->|\uFEFF/g, blank)
    const index = rest.search(/\S/)
    if (index === -1 || this.#reported.has(isBefore)) return null
    this.#reported.add(isBefore)
    return { index, text: rest.slice(index, index + MAX_JUNK_LENGTH).trim() }
  }
}

/** Skips the text after the end of an export. Returns whether a further record was found. */
export function skipToFurther(buffer: TextBuffer): boolean {
  FURTHER.lastIndex = buffer.at
  const found = FURTHER.exec(buffer.text)
  const rest = buffer.ended ? 0 : MAX_START_LENGTH
  buffer.at = found?.index ?? Math.max(buffer.at, buffer.text.length - rest)
  return found !== null
}
