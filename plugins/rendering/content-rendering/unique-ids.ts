import type { Awaitable } from '../../../kernel/index.ts'
import { inSlices, type Steps } from '../../library/long-work/index.ts'
import { htmlPieces, PIECES_PER_STEP, type HtmlPiece } from './html.ts'

/** Matches an ID. Finds them fast, but can match in texts and in the values of other attributes as well. */
const ID = /\sid=(?:"([^"]+)"|'([^']+)')/gi
/** Matches the attributes of a tag that refer to elements of the page by their IDs. */
const REFERENCE =
  /(\s(?:id|for|form|list|popovertarget|aria-(?:activedescendant|controls|describedby|details|errormessage|flowto|labelledby|owns))=)(?:"([^"]*)"|'([^']*)')/gi
/** Matches the ID of an element that blocks of a type number: `MARK-block-search__input-1`. */
const NUMBERED = /^([\w-]{1,100}-block-[a-z_-]{1,100}-)\d{1,6}$/

/** Matches the IDs that renderers of blocks derive, and that are equal for equal blocks. */
export const DERIVED_ID = /^(?:[\w-]{1,100}-block-[a-z_-]{1,100}-\d{1,6}|(?:modal|lightbox)-[\da-f]{12})$/

/** The elements with equal IDs. */
interface EqualIds {
  /** The IDs that they get, in the order of the page. */
  readonly ids: string[]
  /** Number of them in the page. */
  count: number
  /** Number of them whose tags have been changed. */
  passed: number
  /** Whether the first reference of a kind follows the element that it refers to, as the next ones do. */
  readonly follows: Map<string, boolean>
}

/**
 * Makes equal IDs different: the first element keeps its ID, and the next ones get a number in the order of the page.
 * Attributes that refer to such an element, such as the `for` of a label, refer to the one before or after them, like
 * the first reference.
 * @param changed matches the IDs that can be changed
 */
export function uniqueIds(html: string, changed: RegExp = /./): Awaitable<string> {
  const repeated = repeatedIds(html, changed)
  return repeated.size === 0 ? html : inSlices(uniqueIdSteps(html, repeated))
}

function repeatedIds(html: string, changed: RegExp): Set<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const [, double, single] of html.matchAll(ID)) {
    const id = (double ?? single)!
    if (seen.has(id) && changed.test(id)) repeated.add(id)
    seen.add(id)
  }
  return repeated
}

function* uniqueIdSteps(html: string, repeated: ReadonlySet<string>): Steps<string> {
  const pieces: HtmlPiece[] = []
  for (const piece of htmlPieces(html)) if (pieces.push(piece) % PIECES_PER_STEP === 0) yield
  const equalIds = equalIdsIn(pieces, repeated)
  let unique = ''
  for (const [index, { kind, text }] of pieces.entries()) {
    unique += kind === 'open' ? withUniqueIds(text, equalIds) : text
    if (index % PIECES_PER_STEP === 0) yield
  }
  return unique
}

/** Finds the elements whose IDs are repeated, and chooses the IDs that they get. */
function equalIdsIn(pieces: readonly HtmlPiece[], repeated: ReadonlySet<string>): ReadonlyMap<string, EqualIds> {
  const equalIds = new Map<string, EqualIds>()
  for (const id of repeated) equalIds.set(id, { ids: [id], count: 0, passed: 0, follows: new Map() })
  const taken = new Set<string>()
  for (const { kind, text } of pieces) {
    for (const [, double, single] of kind === 'open' ? text.matchAll(ID) : []) {
      const id = (double ?? single)!
      taken.add(id)
      const equal = equalIds.get(id)
      if (equal !== undefined) equal.count += 1
    }
  }
  const numbers = new Map<string, number>()
  for (const [id, { count, ids }] of equalIds) {
    const start = NUMBERED.exec(id)?.[1] ?? `${id}-`
    let number = numbers.get(start) ?? 1
    while (ids.length < count) {
      number += 1
      if (!taken.has(`${start}${number}`)) ids.push(`${start}${number}`)
    }
    numbers.set(start, number)
  }
  return equalIds
}

function withUniqueIds(tag: string, equalIds: ReadonlyMap<string, EqualIds>): string {
  return tag.replace(REFERENCE, (all: string, start: string, double?: string, single?: string) => {
    const names = (double ?? single)!.split(' ')
    if (!names.some((name) => equalIds.has(name))) return all
    const attribute = start.trim().toLowerCase()
    const kind = tag.includes('popovertargetaction="hide"') ? `${attribute} hide` : attribute
    const unique = names.map((name) => uniqueId(equalIds.get(name), kind) ?? name).join(' ')
    return double === undefined ? `${start}'${unique}'` : `${start}"${unique}"`
  })
}

/** @param kind attribute that has the ID, such as `for=` */
function uniqueId(equal: EqualIds | undefined, kind: string): string | undefined {
  if (equal === undefined) return undefined
  const { ids, passed, follows } = equal
  if (kind === 'id=') {
    equal.passed += 1
    return ids[passed]
  }
  if (!follows.has(kind)) follows.set(kind, passed > 0)
  const [before, after] = [ids[passed - 1], ids[passed]]
  return follows.get(kind) === true ? (before ?? after) : (after ?? before)
}
