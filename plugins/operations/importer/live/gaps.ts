import { unknownFields } from './collections.ts'
import type { Survey } from './survey.ts'
import type { LiveGap } from './types.ts'

/** What no REST API contains. */
export function generalGaps(isLoggedIn: boolean): LiveGap[] {
  return [
    { subject: 'passwords of users', reason: 'the REST API does not contain them; set new ones' },
    {
      subject: 'meta and options of plugins',
      reason: 'the REST API contains only what plugins register for it; an export file contains the meta',
    },
    ...(isLoggedIn
      ? []
      : [
          {
            subject: 'drafts, private posts, email addresses, roles and raw texts',
            reason: 'they need a user: --user',
          },
        ]),
  ]
}

/** Fields of the old site that no part of the import knows. */
export function fieldGaps({ collections, taxonomies }: Survey): LiveGap[] {
  const termFields = new Set(taxonomies.map(({ field }) => field))
  return collections.flatMap((collection) => {
    const names = unknownFields(collection, termFields)
    if (names.length === 0) return []
    return [{ subject: `${collection.kind}: ${names.join(', ')}`, reason: 'fields that plugins of the old site add' }]
  })
}
