import { invalidParam, type RestError, type ArgumentSchema, type RestRequest } from '../../kernel/index.ts'

/** Value that requests the first page, like an empty cursor. */
const FIRST_PAGE = 'first'
/** Characters of a cursor: more than any generated one has. */
const MAX_CURSOR_LENGTH = 6000
/** Values of a position. */
const MAX_VALUES = 5

/** A position in a list, after an item that may have been changed or deleted since. */
export interface ListCursor {
  /** Sort keys and directions of the list. */
  readonly order: string
  /** Values of the item for the sort keys. */
  readonly values: readonly (string | number)[]
}

/** Argument for paging by cursor. Hidden, because existing clients do not know it. */
export const CURSOR_ARGUMENT: ArgumentSchema = {
  description: 'Cursor of the page: `first`, then the cursor in the link to the next page.',
  type: 'string',
  hidden: true,
}

/**
 * Returns the cursor of a list request: null for the first page, no cursor if the request pages by number.
 * @throws rest_invalid_param (400) for an invalid cursor, and for a cursor together with a page or an offset
 */
export function cursorOf(request: RestRequest): { cursor?: ListCursor | null } {
  const text = request.endpoint?.args['cursor'] === undefined ? undefined : request.get('cursor')
  if (typeof text !== 'string') return {}
  const other = ['page', 'offset'].find((name) => request.hasParam(name))
  if (other !== undefined)
    throw invalidParam(other, `The parameter ${other} cannot be combined with a cursor. Leave it out.`)
  return { cursor: text === '' || text === FIRST_PAGE ? null : decode(text) }
}

/** Encodes a cursor for a URL. */
export function encodeCursor({ order, values }: ListCursor): string {
  return Buffer.from(JSON.stringify([order, ...values])).toString('base64url')
}

function decode(text: string): ListCursor {
  const [order, ...values] = text.length > MAX_CURSOR_LENGTH ? [] : parseParts(text)
  const isValid = typeof order === 'string' && values.length > 0 && values.length <= MAX_VALUES
  if (isValid && values.every((value) => typeof value === 'string' || Number.isFinite(value)))
    return { order, values: values as (string | number)[] }
  throw foreignCursor()
}

function parseParts(text: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

/** Creates the error for an invalid cursor, or for a cursor of a list in another order. */
export function foreignCursor(): RestError {
  return invalidParam('cursor', 'The cursor is not valid for this list. Start with `first`.')
}

/** Creates the error for an order without unique positions. */
export function noCursorFor(order: string): RestError {
  return invalidParam('cursor', `A list ordered by ${order} does not support cursors. Use page instead.`)
}
