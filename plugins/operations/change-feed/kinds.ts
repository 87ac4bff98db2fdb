import type { Change } from '../../storage/changes/index.ts'

/** Kinds of changes that somebody may be told of, but for those of everything. */
export const KINDS = ['post', 'term', 'comment', 'user', 'option', 'table', 'tag'] as const
/** Kinds that nobody is told of: who logs in when, and with what, is nobody's business. */
export const SECRET_KINDS: ReadonlySet<string> = new Set(['session', 'application_password'])
/** Kinds whose objects have an ID. */
const NUMBERED: ReadonlySet<string> = new Set(['post', 'term', 'comment', 'user'])

/** What has changed as clients know it: its ID, or its name. */
export function objectOf({ kind, object }: Pick<Change, 'kind' | 'object'>): number | string {
  return NUMBERED.has(kind) ? Number(object) : object
}
