import { mapInSlices } from '../../../library/long-work/index.ts'
import { numberIn, objectOf } from '../attributes.ts'
import { wrapperAttributes, type CoreBlock, type Renderer } from '../renderer.ts'
import { queryPage } from './post-query.ts'

/** Renders the inner blocks for each post of a query. */
export const renderPostTemplate: Renderer = async (block, rendering) => {
  const { posts } = await queryPage(block, rendering)
  if (posts.length === 0 || !rendering.spend(posts.length)) return ''
  const { services } = rendering.plugin
  const ids = posts.map(({ id }) => id)
  await Promise.all([
    services.terms.ofPosts(rendering.scope).loadAll(ids),
    services.meta.loadAll('post', ids, rendering.scope),
  ])
  const item = async (post: (typeof posts)[number]) => {
    const inside = await rendering.renderInner(block, { postId: post.id, postType: post.type })
    const classes = (await services.posts.classes(post, rendering.scope)).join(' ')
    return `<li class="${rendering.mark}-block-post ${classes}">${inside}</li>`
  }
  // Render all items concurrently, so that their reads are batched into the same statements.
  const items = await mapInSlices(posts, item, posts.length)
  return `<ul ${wrapperAttributes(block, { class: columnsOf(block) })}>${items.join('')}</ul>`
}

/** Returns the column classes, from the layout of the block or, in legacy content, of the surrounding query. */
function columnsOf({ attributes, context }: CoreBlock): string {
  const legacyLayout = objectOf(context, 'displayLayout')
  const { type, columnCount } = objectOf(attributes, 'layout')
  const classes: string[] = []
  const add = (value: unknown) => {
    const count = numberIn(value) ?? 0
    if (count > 0) classes.push(`columns-${Math.trunc(count)}`)
  }
  if (legacyLayout['type'] === 'flex') {
    classes.push('is-flex-container')
    add(legacyLayout['columns'])
  }
  if (type === 'grid') add(columnCount)
  return classes.join(' ')
}
