import { unknownFields } from './collections.ts'
import { HEAD_FIELD } from './convert/heads.ts'
import type { Survey } from './survey.ts'
import type { LiveGap } from './types.ts'

/** Data that no REST API contains. */
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

/** Data of plugins of the old site that the REST API does not contain, as far as the plugins are known. */
export function pluginGaps({ collections }: Survey, plugins: readonly { readonly name: string }[]): LiveGap[] {
  const has = (name: string) => plugins.some((plugin) => plugin.name === name)
  const shows = (field: string) => collections.some(({ sample }) => field in sample)
  const gaps: (LiveGap | false)[] = [
    has('Polylang') &&
      !shows('lang') && {
        subject: 'languages and translations of posts and terms (Polylang)',
        reason: 'only the Pro version shows them; an export file contains them',
      },
    (has('Advanced Custom Fields') || shows('acf')) && {
      subject: 'definitions of custom fields (Advanced Custom Fields)',
      reason:
        'the REST API contains the values; export the field groups there, and import them here with "fields import"',
    },
    (has('Yoast SEO') || shows(HEAD_FIELD)) && {
      subject: 'templates of titles, texts of terms and sharing images (Yoast SEO)',
      reason:
        'the REST API contains finished titles and descriptions of posts, which come; an export file and a site file contain the rest',
    },
    has('Rank Math') && {
      subject: 'titles and descriptions (Rank Math)',
      reason: 'fields of posts do not contain them; an export file contains them',
    },
  ]
  return gaps.filter((gap) => gap !== false)
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
