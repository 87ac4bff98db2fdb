import type { BlockAttribute, BlockTypeSpec } from '../blocks/index.ts'

/** Revisions that introduced core blocks, oldest first. All other blocks are part of 5.0. */
const BLOCKS: readonly (readonly [revision: string, names: string])[] = [
  ['5.3', 'calendar group rss search tag-cloud'],
  ['5.4', 'buttons social-link social-links'],
  [
    '5.9',
    `legacy-widget loginout navigation navigation-link navigation-submenu page-list pattern post-author post-comments
post-content post-date post-excerpt post-featured-image post-navigation-link post-template post-terms post-title query
query-pagination query-pagination-next query-pagination-numbers query-pagination-previous query-title site-logo
site-tagline site-title template-part term-description widget-group`,
  ],
  [
    '6.1',
    `avatar comment-author-name comment-content comment-date comment-edit-link comment-reply-link comment-template
comments comments-pagination comments-pagination-next comments-pagination-numbers comments-pagination-previous
comments-title home-link list-item post-author-biography post-comments-form query-no-results read-more`,
  ],
  ['6.5', 'details footnotes page-list-item post-author-name'],
  [
    '6.9',
    `accordion accordion-heading accordion-item accordion-panel math post-comments-count post-comments-link
post-time-to-read query-total term-count term-name term-template terms-query`,
  ],
  ['7.1', 'breadcrumbs icon navigation-overlay-close playlist playlist-track tab-list tab-panel tab-panels tabs'],
]

/** Attributes that blocks have since a revision. */
const ATTRIBUTES: readonly (readonly [revision: string, block: string, names: string])[] = [
  ['6.1', 'archives', 'showLabel type'],
  ['6.1', 'categories', 'showEmpty'],
  ['6.1', 'tag-cloud', 'largestFontSize smallestFontSize'],
  ['6.5', 'image', 'aspectRatio lightbox scale'],
  ['6.5', 'page-list', 'parentPageID'],
  ['6.5', 'post-excerpt', 'excerptLength'],
  ['6.5', 'post-featured-image', 'aspectRatio useFirstImageFromPost'],
  ['6.5', 'post-navigation-link', 'arrow taxonomy'],
  ['6.5', 'query-pagination', 'showLabel'],
  ['6.5', 'query-pagination-numbers', 'midSize'],
  ['6.9', 'categories', 'label showLabel taxonomy'],
  ['6.9', 'post-date', 'datetime'],
  ['6.9', 'rss', 'openInNewTab rel'],
  ['6.9', 'site-tagline', 'level levelOptions'],
  ['6.9', 'site-title', 'levelOptions'],
  ['6.9', 'post-title', 'levelOptions'],
  ['6.9', 'query-title', 'levelOptions'],
  ['6.9', 'comments-title', 'levelOptions'],
  ['7.1', 'latest-comments', 'displayContent'],
]

/** Attributes that blocks have before a revision. Renderers read them in every revision, for content that has them. */
const FORMER: readonly (readonly [revision: string, block: string, Readonly<Record<string, BlockAttribute>>])[] = [
  ['6.9', 'post-date', { displayType: { type: 'string', default: 'date' } }],
  ['7.1', 'latest-comments', { displayExcerpt: { type: 'boolean', default: true } }],
  ['7.1', 'latest-posts', { postLayout: { type: 'string', default: 'list' }, columns: { type: 'number', default: 3 } }],
]

type Since = (revision: string) => boolean

/** Returns the revision that introduced a core block. @param name without its namespace */
export function revisionOf(name: string): string {
  return BLOCKS.find(([, names]) => names.split(/\s+/).includes(name))?.[0] ?? '5.0'
}

/** Returns a core block type with the attributes of the served revision. @param name without its namespace */
export function inRevision(name: string, type: BlockTypeSpec, since: Since): BlockTypeSpec {
  const missing = new Set(
    ATTRIBUTES.flatMap(([revision, block, names]) => (block === name && !since(revision) ? names.split(' ') : [])),
  )
  const former = FORMER.filter(([revision, block]) => block === name && !since(revision))
  if (missing.size === 0 && former.length === 0) return type
  const kept = Object.entries(type.attributes ?? {}).filter(([attribute]) => !missing.has(attribute))
  return { ...type, attributes: Object.assign(Object.fromEntries(kept), ...former.map(([, , added]) => added)) }
}
