import { cutSlug, normalizeSlug } from '../../../resources/index.ts'
import type { ExportedAuthor } from '../authors.ts'
import type { MetaRow } from '../batches.ts'
import type { ExportedTerm } from '../terms.ts'
import type { FormatNames } from './names.ts'
import { exportedValue } from './php.ts'
import { element, exactElement, plainElement } from './xml.ts'

/** The site as the head of a file describes it. */
export interface SiteHead {
  readonly title: string
  readonly description: string
  /** Language tag, `en-US`. */
  readonly language: string
  /** Home URL without a trailing slash. */
  readonly home: string
  readonly date: Date
}

/** Returns the beginning of a file. */
export function headOf({ title, description, language, home, date }: SiteHead): string {
  return `<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0"
  xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
  xmlns:content="http://purl.org/rss/1.0/modules/content/"
  xmlns:wfw="http://wellformedweb.org/CommentAPI/"
  xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:wp="http://wordpress.org/export/1.2/">
<channel>
  ${plainElement('title', plainText(title))}
  ${plainElement('link', home)}
  ${plainElement('description', plainText(description))}
  ${plainElement('pubDate', rfc822(date))}
  ${plainElement('language', language)}
  <wp:wxr_version>1.2</wp:wxr_version>
  ${plainElement('wp:base_site_url', home)}
  ${plainElement('wp:base_blog_url', home)}
`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#039;': "'",
  '&#39;': "'",
}

/** Settings are stored as text for HTML. */
function plainText(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#0?39);/g, (entity) => ENTITIES[entity]!)
}

/** The end of each file. */
export const FOOT = '</channel>\n</rss>\n'

/** Follows the authors and terms, like in the files of WordPress. */
export const GENERATOR = '  <generator>svc-rest</generator>\n'

export function authorElement({ id, login, email, name, firstName, lastName }: ExportedAuthor): string {
  const fields = [
    plainElement('wp:author_id', id),
    element('wp:author_login', login),
    element('wp:author_email', email),
    element('wp:author_display_name', name),
    element('wp:author_first_name', firstName),
    element('wp:author_last_name', lastName),
  ]
  return `  <wp:author>${fields.join('')}</wp:author>\n`
}

export function termElement(term: ExportedTerm, names: FormatNames): string {
  const { id, taxonomy, name, description } = term
  const [slug, parentSlug] = [exportedSlug(term.slug), exportedSlug(term.parentSlug)]
  const meta = metaElements('wp:termmeta', term.meta, (key) => names.metaKey(key))
  const described = (tag: string) => (description === '' ? '' : element(tag, description))
  if (taxonomy === 'category') {
    const fields = `${element('wp:category_nicename', slug)}${element('wp:category_parent', parentSlug)}${element('wp:cat_name', name)}`
    return `  <wp:category>${plainElement('wp:term_id', id)}${fields}${described('wp:category_description')}${meta}</wp:category>\n`
  }
  if (taxonomy === 'post_tag' && parentSlug === '') {
    const fields = `${element('wp:tag_slug', slug)}${element('wp:tag_name', name)}`
    return `  <wp:tag>${plainElement('wp:term_id', id)}${fields}${described('wp:tag_description')}${meta}</wp:tag>\n`
  }
  const fields = `${element('wp:term_taxonomy', names.type(taxonomy))}${element('wp:term_slug', slug)}${element('wp:term_parent', parentSlug)}${element('wp:term_name', name)}`
  return `  <wp:term>${plainElement('wp:term_id', id)}${fields}${described('wp:term_description')}${meta}</wp:term>\n`
}

/** Brings a slug that a program has written to the database into the form in which imports store it. */
export function exportedSlug(slug: string): string {
  return normalizeSlug(cutSlug(slug))
}

/** @param tag `wp:postmeta`, `wp:commentmeta` or `wp:termmeta` */
export function metaElements(tag: string, rows: readonly MetaRow[], keyOf: (key: string) => string): string {
  return rows
    .map((row) => {
      const fields = element('wp:meta_key', keyOf(row.key)) + exactElement('wp:meta_value', exportedValue(row))
      return `\n      <${tag}>${fields}</${tag}>`
    })
    .join('')
}

/** Formats a date for RSS: `Wed, 01 May 2024 10:00:00 +0000`. */
export function rfc822(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000')
}
