import { integer, readMeta, type CountUnknown, type Element } from './element.ts'
import { readItem } from './items.ts'
import type { WxrAuthor, WxrRecord, WxrTerm } from './types.ts'

/** Functions that convert children of the channel to records, by element name. */
export const RECORDS: Readonly<Record<string, ((element: Element, count: CountUnknown) => WxrRecord) | undefined>> = {
  __proto__: null as never,
  item: readItem,
  'wp:author': readAuthor,
  'wp:category': readTerm,
  'wp:tag': readTerm,
  'wp:term': readTerm,
}

function readAuthor(element: Element, count: CountUnknown): WxrAuthor {
  const author: WxrAuthor = { kind: 'author', id: 0, login: '', email: '', name: '', firstName: '', lastName: '' }
  for (const { name, text } of element.children) {
    if (name === 'wp:author_id') author.id = integer(text)
    else if (name === 'wp:author_login') author.login = text.trim()
    else if (name === 'wp:author_email') author.email = text.trim()
    else if (name === 'wp:author_display_name') author.name = text
    else if (name === 'wp:author_first_name') author.firstName = text
    else if (name === 'wp:author_last_name') author.lastName = text
    else count(`${element.name}/${name}`)
  }
  return author
}

function readTerm(element: Element, count: CountUnknown): WxrTerm {
  const taxonomy = element.name === 'wp:category' ? 'category' : element.name === 'wp:tag' ? 'post_tag' : ''
  const term: WxrTerm = { kind: 'term', id: 0, taxonomy, slug: '', parent: '', name: '', description: '', meta: [] }
  for (const child of element.children) {
    const { name, text } = child
    if (name === 'wp:term_id') term.id = integer(text)
    else if (name === 'wp:term_taxonomy') term.taxonomy = text.trim()
    else if (name === 'wp:category_nicename' || name === 'wp:tag_slug' || name === 'wp:term_slug')
      term.slug = text.trim()
    else if (name === 'wp:category_parent' || name === 'wp:term_parent') term.parent = text.trim()
    else if (name === 'wp:cat_name' || name === 'wp:tag_name' || name === 'wp:term_name') term.name = text
    else if (name === 'wp:category_description' || name === 'wp:tag_description' || name === 'wp:term_description') {
      term.description = text
    } else if (name === 'wp:termmeta') term.meta.push(readMeta(child, count))
    else count(`${element.name}/${name}`)
  }
  return term
}
