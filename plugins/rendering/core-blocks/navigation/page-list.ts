import { mapInSlices } from '../../../library/long-work/index.ts'
import type { LeanPost } from '../../../content/posts/index.ts'
import { numberOf, urlValue } from '../attributes.ts'
import { linkOf } from '../post/current-post.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import type { Texts } from '../texts.ts'
import { itemClass, toggle } from './links.ts'
import { plainText } from '../../html/index.ts'

/** Maximum pages in a list, and maximum nesting levels. */
const MAX_PAGES = 1000
const MAX_LEVELS = 20

interface Item {
  readonly id: number
  readonly title: string
  readonly url: string
}

/** Renders the public pages of the site as nested lists. */
export const renderPageList: Renderer = async (block, rendering) => {
  const { services } = rendering.plugin
  const pages = await rendering.once(['pages'], async () => {
    const all = {
      types: ['page'],
      statuses: ['publish'],
      orderby: 'menu_order',
      order: 'asc',
      limit: MAX_PAGES,
    } as const
    return (await services.posts.queryLean(await services.posts.forPage(all, rendering.scope))).items
  })
  if (!rendering.spend(pages.length)) return ''
  const texts = await rendering.texts()
  const items = await itemsOf(pages, rendering, texts)
  const top = numberOf(block.attributes, 'parentPageID', 0)
  const html = listItems(items, top, 1, block, rendering, texts)
  // A submenu already provides the list element.
  if (html === '' || block.context['core/isInsideSubmenu'] === true) return html
  return `<ul ${wrapperAttributes(block)}>${html}</ul>`
}

/** Returns titles and URLs of the pages by parent ID, in menu order. */
async function itemsOf(
  pages: readonly LeanPost[],
  rendering: Rendering,
  { t }: Texts,
): Promise<ReadonlyMap<number, readonly Item[]>> {
  const { contentRendering } = rendering.plugin.services
  const items = new Map<number, Item[]>()
  const inOrder = pages.toSorted(
    (one, other) => one.menu_order - other.menu_order || one.title.localeCompare(other.title, 'en'),
  )
  // Concurrently, so that all parent pages are read in one statement.
  await mapInSlices(
    inOrder,
    async (page) => {
      const list = items.get(page.parent_id) ?? []
      items.set(page.parent_id, list)
      const place = list.push({ id: page.id, title: '', url: '' }) - 1
      const [title, url] = await Promise.all([contentRendering.title(page), linkOf(page, rendering)])
      list[place] = { id: page.id, title: title || t('(no title)'), url: urlValue(url) }
    },
    pages.length || 1,
  )
  return items
}

function listItems(
  items: ReadonlyMap<number, readonly Item[]>,
  parentId: number,
  level: number,
  block: CoreBlock,
  rendering: Rendering,
  texts: Texts,
): string {
  const { mark } = rendering
  const { context } = block
  const isMenu = context['showSubmenuIcon'] !== undefined
  const item = `${mark}-block-pages-list__item`
  const navigation = itemClass(rendering)
  const onClick = context['openSubmenusOnClick'] === true || context['submenuVisibility'] === 'click'
  return (items.get(parentId) ?? [])
    .map(({ id, title, url }) => {
      const below = level < MAX_LEVELS ? listItems(items, id, level + 1, block, rendering, texts) : ''
      const menuClasses = isMenu ? ` ${navigation} ${onClick ? 'open-on-click' : 'open-on-hover-click'}` : ''
      const end = level === 1 ? '' : ' '
      const link = `<a class="${item}__link${isMenu ? ` ${navigation}__content` : ''}" href="${url}">${title}</a>`
      if (below === '') return `<li class="${item}${menuClasses}${end}">${link}</li>`
      const button = isMenu ? toggle(plainText(title), context, rendering, texts) : ''
      const list = `<ul class="${mark}-block-navigation__submenu-container">${below}</ul>`
      return `<li class="${item} has-child${menuClasses}${end}">${link}${button}${list}</li>`
    })
    .join('')
}
