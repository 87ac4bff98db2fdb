import { invalidParam, type RestError, type ArgumentSchema, type RestRequest } from '../../kernel/index.ts'

/** What asks for the first page, as does an empty cursor. */
const FIRST_PAGE = 'first'
/** Characters that a cursor may have: more than any that was handed out. */
const MAX_CURSOR_LENGTH = 6000
/** Values that a place may consist of. */
const MOST_VALUES = 5

/** A place in a list, behind an item, wherever that item is by now. */
export interface ListCursor {
  /** What the list is ordered by, and in which directions. */
  readonly order: string
  /** What the item has of that. */
  readonly values: readonly (string | number)[]
}

/** The argument by which a client pages through a list from item to item. Existing clients would not know it. */
export const CURSOR_ARGUMENT: ArgumentSchema = {
  description: 'Pages by place and not by number: `first`, and then what the link to the next page says.',
  type: 'string',
  hidden: true,
}

/**
 * Where the list that a request asks for begins: null at its first item; nothing where the request pages by number.
 * @throws rest_invalid_param (400) for an invalid cursor, and for a cursor together with a page or an offset
 */
export function cursorOf(request: RestRequest): { cursor?: ListCursor | null } {
  const text = request.endpoint?.args['cursor'] === undefined ? undefined : request.get('cursor')
  if (typeof text !== 'string') return {}
  const other = ['page', 'offset'].find((name) => request.given(name))
  if (other !== undefined)
    throw invalidParam(other, `A list that is paged through by cursor has no ${other}: leave it out.`)
  return { cursor: text === '' || text === FIRST_PAGE ? null : decode(text) }
}

/** A cursor as it stands in a URL. */
export function encodeCursor({ order, values }: ListCursor): string {
  return Buffer.from(JSON.stringify([order, ...values])).toString('base64url')
}

function decode(text: string): ListCursor {
  const [order, ...values] = text.length > MAX_CURSOR_LENGTH ? [] : partsOf(text)
  const isOne = typeof order === 'string' && values.length > 0 && values.length <= MOST_VALUES
  if (isOne && values.every((value) => typeof value === 'string' || Number.isFinite(value)))
    return { order, values: values as (string | number)[] }
  throw foreignCursor()
}

function partsOf(text: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

/** For a cursor that is none, or one of a list in another order. */
export function foreignCursor(): RestError {
  return invalidParam('cursor', 'This is no cursor of this list: begin with `first`.')
}

/** For an order in which an item has no place of its own. */
export function noCursorFor(order: string): RestError {
  return invalidParam('cursor', `A list ordered by ${order} cannot be paged through by cursor: give a page.`)
}
