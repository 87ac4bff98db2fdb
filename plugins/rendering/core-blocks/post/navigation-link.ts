import type { Post, TermClause } from '../../../content/posts/index.ts'
import { classValue, textOf, urlValue } from '../attributes.ts'
import { wrapperAttributes, type Renderer, type Rendering } from '../renderer.ts'
import { linkOf, postOf, titleOf } from './current-post.ts'

const ARROWS: Readonly<Record<string, readonly [previous: string, next: string]>> = {
  arrow: ['←', '→'],
  chevron: ['«', '»'],
}

/** Renders a link to the previous or next post by date. */
export const renderPostNavigationLink: Renderer = async (block, rendering) => {
  const { attributes } = block
  const post = await postOf(block, rendering)
  if (post === undefined) return ''
  const isNext = textOf(attributes, 'type') !== 'previous'
  const other = await neighbour(
    post,
    isNext,
    rendering.plugin.branding.ownTypeName(textOf(attributes, 'taxonomy')),
    rendering,
  )
  if (other === undefined) return ''
  const direction = isNext ? 'next' : 'previous'
  const customLabel = rendering.richText(textOf(attributes, 'label'))
  const { t } = await rendering.texts()
  const title = (await titleOf(other, rendering)) || t('(no title)')
  const defaultLabel = isNext ? t('Next') : t('Previous')
  const open = `<a href="${urlValue(await linkOf(other, rendering))}" rel="${isNext ? 'next' : 'prev'}">`
  const blockClass = rendering.classOf(block)
  const short = blockClass.slice(blockClass.indexOf('post-'))
  let link = `${open}${customLabel || defaultLabel}</a>`
  if (attributes['showTitle'] === true) {
    const isInLink = attributes['linkLabel'] === true
    const shownLabel = customLabel || (isInLink ? `${defaultLabel}:` : '')
    const label = shownLabel === '' ? '' : `<span class="${short}__label">${shownLabel}</span> `
    link = isInLink ? `${open}${label}<span class="${short}__title">${title}</span></a>` : `${label}${open}${title}</a>`
  }
  const name = textOf(attributes, 'arrow')
  const arrow = ARROWS[name]?.[isNext ? 1 : 0]
  const shown =
    arrow === undefined
      ? ''
      : `<span class="${blockClass}__arrow-${direction} is-arrow-${classValue(name)}" aria-hidden="true">${arrow}</span>`
  const wrapper = wrapperAttributes(block, { class: `${short}-${direction}` })
  return `<div ${wrapper}>${isNext ? `${link}${shown}` : `${shown}${link}`}</div>`
}

/** Returns the next or previous public post. With a taxonomy, only posts that share one of its terms. */
async function neighbour(
  post: Post,
  isNext: boolean,
  taxonomy: string,
  { plugin, scope, once }: Rendering,
): Promise<Post | undefined> {
  const { posts, taxonomies, terms } = plugin.services
  const clauses: TermClause[] = []
  if (taxonomies.get(taxonomy)?.publicly_queryable === true) {
    const postTerms = (await terms.ofPosts(scope).load(post.id)).get(taxonomy) ?? []
    if (postTerms.length === 0) return undefined
    clauses.push({ taxonomy, terms: postTerms.map(({ id }) => id), operator: 'in' })
  }
  const query = await posts.forPage(
    {
      types: [post.type],
      statuses: ['publish'],
      ...(isNext ? { after: post.date } : { before: post.date }),
      terms: clauses,
      exclude: [post.id],
      orderby: 'date',
      order: isNext ? 'asc' : 'desc',
      limit: 1,
    },
    scope,
  )
  return (await once(['neighbour', post.id, isNext, taxonomy], () => posts.query(query, scope))).items[0]
}
