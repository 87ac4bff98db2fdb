import type { Change } from '../../storage/changes/index.ts'

/** Kinds of changes that can be sent, except `all`. */
export const KINDS = ['post', 'term', 'comment', 'user', 'option', 'table', 'tag'] as const
/** Kinds that are never sent: logins and credentials are private. */
export const SECRET_KINDS: ReadonlySet<string> = new Set(['session', 'application_password'])
/** Kinds whose objects have an ID. */
const KINDS_WITH_ID: ReadonlySet<string> = new Set(['post', 'term', 'comment', 'user'])

/** The object of a change as clients see it: its ID or its name. */
export function objectOf({ kind, object }: Pick<Change, 'kind' | 'object'>): number | string {
  return KINDS_WITH_ID.has(kind) ? Number(object) : object
}
