import { plainText } from '../../../../rendering/html/index.ts'
import type { WxrMeta } from '../../wxr/types.ts'
import { objectOf, rawOf, text, type OldObject } from '../values.ts'

/** Field of Yoast SEO with the head of a page. */
export const HEAD_FIELD = 'yoast_head_json'
/** Parts of the head from which meta is derived. */
export const HEAD_PARTS: readonly string[] = [
  'title',
  'description',
  'robots',
  'canonical',
  'og_site_name',
  'og_title',
  'og_description',
  'twitter_title',
  'twitter_description',
]
const PREFIX = '_yoast_wpseo_'
/** Maximum characters between the title of a page and the title of the site. */
const MAX_SEPARATOR = 3

/**
 * The meta of Yoast SEO that the head of a post shows: texts that differ from the usual ones. The head does not say
 * whether a description was written or comes from a template, so it is kept.
 */
export function headMeta(object: OldObject): WxrMeta[] {
  const head = objectOf(object[HEAD_FIELD])
  const [title, description, canonical] = [text(head['title']), text(head['description']), text(head['canonical'])]
  if (title === '') return []
  const name = plainText(rawOf(object['title'])).trim()
  const isShown = text(object['status']) === 'publish'
  const differing = (value: unknown, ...usual: readonly string[]) => (usual.includes(text(value)) ? '' : text(value))
  const meta = {
    title: isUsualTitle(title, name, text(head['og_site_name'])) ? '' : title,
    metadesc: description,
    canonical: canonical === text(object['link']) ? '' : canonical,
    // The head of a draft is hidden from search engines in any case.
    'meta-robots-noindex': isShown && text(objectOf(head['robots'])['index']) === 'noindex' ? '1' : '',
    'meta-robots-nofollow': text(objectOf(head['robots'])['follow']) === 'nofollow' ? '1' : '',
    'opengraph-title': differing(head['og_title'], title, name),
    'opengraph-description': description === '' ? '' : differing(head['og_description'], description),
    'twitter-title': differing(head['twitter_title'], title, name, text(head['og_title'])),
    'twitter-description': differing(head['twitter_description'], description, text(head['og_description'])),
  }
  return Object.entries(meta).flatMap(([key, value]) => (value === '' ? [] : [{ key: PREFIX + key, value }]))
}

/** Whether a title consists of the title of the page, a separator and the title of the site. */
function isUsualTitle(title: string, name: string, site: string): boolean {
  if (title === name || title === site) return true
  if (!title.startsWith(name) || !title.endsWith(site) || title.length < name.length + site.length) return false
  return title.slice(name.length, title.length - site.length).trim().length <= MAX_SEPARATOR
}
