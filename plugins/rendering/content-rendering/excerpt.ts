import type { Steps } from '../../library/long-work/index.ts'
import { htmlPieces, PIECES_PER_STEP, textSteps } from './html.ts'

const SPACE = /[ \t\r\n]+/

/** Returns the part of content an excerpt is built from: the text on the first page before the first `<!--more-->`. */
export function teaserOf(content: string): string {
  const page = before(content, '<!--nextpage-->')
  const teaser = before(page, '<!--more')
  return teaser.length < page.length && page.includes('-->', teaser.length) ? teaser : page
}

function before(text: string, mark: string): string {
  const at = text.indexOf(mark)
  return at < 0 ? text : text.slice(0, at)
}

/**
 * Returns the beginning of the HTML that contains at least `count` words, without images. A generator that yields
 * between slices of work.
 */
export function* atLeastWords(html: string, count: number): Steps<string> {
  let words = 0
  let seen = 0
  let beginning = ''
  for (const { kind, name, text } of htmlPieces(html)) {
    if (name !== 'img') beginning += text
    if (kind === 'text') words += text.split(SPACE).length
    if (words >= count) break
    if ((seen += 1) % PIECES_PER_STEP === 0) yield
  }
  return beginning
}

/**
 * Returns the first words of rendered content as plain text, followed by `more` if words were cut. Yields between
 * slices of work.
 */
export function* firstWords(html: string, count: number, more: string): Steps<string> {
  const words = (yield* textSteps(html)).split(SPACE).filter((word) => word !== '')
  return words.length > count ? words.slice(0, count).join(' ') + more : words.join(' ')
}
