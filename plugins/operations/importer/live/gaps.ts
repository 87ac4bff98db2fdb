import { unknownFields } from './collections.ts'
import { HEAD_FIELD } from './convert/heads.ts'
import { phrase, type ReportReason } from '../phrases.ts'
import { gapOf } from './gap.ts'
import type { Survey } from './survey.ts'
import type { LiveGap } from './types.ts'

const known = (subject: ReportReason, reason: ReportReason): LiveGap => gapOf({ text: subject }, { text: reason })

/** Data that no REST API contains. */
export function generalGaps(isLoggedIn: boolean): LiveGap[] {
  return [
    known('passwords of users', 'the REST API does not contain them; set new ones'),
    known(
      'meta and options of plugins',
      'the REST API contains only what plugins register for it; an export file contains the meta',
    ),
    ...(isLoggedIn
      ? []
      : [known('drafts, private posts, email addresses, roles and raw texts', 'they need a user: --user')]),
  ]
}

/** Data of plugins of the old site that the REST API does not contain, as far as the plugins are known. */
export function pluginGaps({ collections }: Survey, plugins: readonly { readonly name: string }[]): LiveGap[] {
  const has = (name: string) => plugins.some((plugin) => plugin.name === name)
  const shows = (field: string) => collections.some(({ sample }) => field in sample)
  const gaps: (LiveGap | false)[] = [
    has('Polylang') &&
      !shows('lang') &&
      known(
        'languages and translations of posts and terms (Polylang)',
        'only the Pro version shows them; an export file contains them',
      ),
    (has('Advanced Custom Fields') || shows('acf')) &&
      known(
        'definitions of custom fields (Advanced Custom Fields)',
        'the REST API contains the values; export the field groups there, and import them here with svc fields import',
      ),
    (has('Yoast SEO') || shows(HEAD_FIELD)) &&
      known(
        'templates of titles, texts of terms and sharing images (Yoast SEO)',
        'the REST API contains finished titles and descriptions of posts, which come; an export file and a site file contain the rest',
      ),
    has('Rank Math') &&
      known('titles and descriptions (Rank Math)', 'fields of posts do not contain them; an export file contains them'),
  ]
  return gaps.filter((gap) => gap !== false)
}

/** Fields of the old site that no part of the import knows. */
export function fieldGaps({ collections, taxonomies }: Survey): LiveGap[] {
  const termFields = new Set(taxonomies.map(({ field }) => field))
  return collections.flatMap((collection) => {
    const names = unknownFields(collection, termFields)
    if (names.length === 0) return []
    const subject = phrase('{kind}: {names}', { kind: collection.kind, names: names.join(', ') })
    return [gapOf(subject, { text: 'fields that plugins of the old site add' })]
  })
}
