import { isObject } from '../../../kernel/index.ts'
import { idsOf } from './attributes.ts'

type Attributes = Readonly<Record<string, unknown>>

/** Conversions of attributes that older editors stored, by block name without its namespace. */
export const MIGRATIONS: Readonly<Record<string, (attributes: Attributes) => Attributes>> = {
  'latest-comments': withDisplayContent,
  'latest-posts': withListedCategories,
}

/** Returns `displayContent`: older posts have `displayExcerpt` instead. */
function withDisplayContent(attributes: Attributes): Attributes {
  const isHidden = attributes['displayExcerpt'] === false && attributes['displayContent'] === undefined
  return isHidden ? { ...attributes, displayContent: 'none' } : attributes
}

/** Returns `categories` as a list of objects: older posts have one ID, or several, as a text or a list. */
function withListedCategories(attributes: Attributes): Attributes {
  const { categories } = attributes
  if (categories === undefined || (Array.isArray(categories) && categories.every(isObject))) return attributes
  return { ...attributes, categories: idsOf(categories).map((id) => ({ id })) }
}
