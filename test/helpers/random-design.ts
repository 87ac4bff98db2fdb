import type { RandomTools, Writes } from './random-tools.ts'

const ITEM_TITLES = ['Home', 'Shop', 'About “us”', 'News & more'] as const
const LOCATIONS = ['primary', 'footer'] as const
const PARTS = ['header', 'footer'] as const

/** Writes of menus, templates, styles and navigations. */
export function writesOfDesign(tools: RandomTools): Writes {
  const menus: number[] = []
  const items: number[] = []
  const templateSlugs: string[] = []
  const create = async (path: string, body: object, ids: number[]) => {
    const response = await tools.send('POST', path, body)
    if (response.status === 201) ids.push(((await response.json()) as { id: number }).id)
  }
  const newMenu = () => create('/menus', { name: tools.text(), locations: [tools.one(LOCATIONS)] }, menus)
  const newItem = async () => {
    if (menus.length === 0) await newMenu()
    const leads = tools.isOn()
      ? { title: tools.one(ITEM_TITLES), url: `https://x-${tools.next()}.example/` }
      : { type: 'post_type', object: 'page', object_id: tools.pick('pages') }
    await create('/menu-items', { ...leads, menus: tools.one(menus), menu_order: 1 + tools.next() }, items)
  }
  const item = async () => {
    if (items.length === 0) await newItem()
    return `/menu-items/${tools.one(items)}`
  }
  const change = async (body: object) => tools.send('POST', await item(), body)
  const menu = async () => {
    if (menus.length === 0) await newMenu()
    return `/menus/${tools.one(menus)}`
  }
  const markup = () => `<!-- wp:paragraph --><p>${tools.text()}</p><!-- /wp:paragraph -->`
  const stylesId = async () => {
    const { globalStyles, themes } = tools.site.kernel.services
    return globalStyles.idOf((await themes.active()).stylesheet)
  }
  return {
    'create a menu': newMenu,
    'rename a menu': async () => tools.send('POST', await menu(), { name: tools.text() }),
    'describe a menu': async () => tools.send('POST', await menu(), { description: tools.text() }),
    'place a menu': async () =>
      tools.send('POST', await menu(), { locations: tools.isOn() ? [tools.one(LOCATIONS)] : [] }),
    'have a menu take pages': async () => tools.send('POST', await menu(), { auto_add: tools.isOn() }),
    'delete a menu': async () => {
      const id = menus.pop()
      if (id !== undefined) await tools.send('DELETE', `/menus/${id}?force=true`)
    },
    'create a menu item': newItem,
    'rename a menu item': () => change({ title: tools.text(), url: `https://y-${tools.next()}.example/` }),
    'order a menu item': () => change({ menu_order: 1 + tools.next() }),
    'class a menu item': () => change({ classes: [`c-${tools.next()}`], xfn: ['me'] }),
    'describe a menu item': () => change({ description: tools.text(), attr_title: tools.text() }),
    'target a menu item': () => change({ target: tools.one(['', '_blank']) }),
    'hide a menu item': () => change({ status: tools.one(['draft', 'publish']) }),
    'move a menu item': () => change({ menus: tools.one([...menus, 0]) }),
    'nest a menu item': () => change({ parent: tools.one([...items, 0]) }),
    'write to meta of a menu item': async () => {
      const path = await item()
      if (!(await tools.send('GET', path)).ok) return
      const url = `https://z-${tools.next()}.example/`
      const id = Number(path.split('/').at(-1))
      await tools.site.kernel.services.meta.write('post', id, '_menu_item_url', [url], tools.scope())
    },
    'delete a menu item': async () => {
      const id = items.pop()
      if (id !== undefined) await tools.send('DELETE', `/menu-items/${id}?force=true`)
    },
    'change a template': () =>
      tools.send('POST', '/templates/default//index', {
        content: `${markup()}<!-- wp:template-part {"slug":"header"} /--><!-- wp:navigation /-->`,
      }),
    'restore a template': () => tools.send('DELETE', '/templates/default//index?force=true'),
    'change a template part': () =>
      tools.send('POST', `/template-parts/default//${tools.one(PARTS)}`, { content: markup() }),
    'restore a template part': () => tools.send('DELETE', `/template-parts/default//${tools.one(PARTS)}?force=true`),
    'create a template': async () => {
      const slug = `own-${tools.next()}`
      templateSlugs.push(slug)
      await tools.send('POST', '/templates', { slug, title: tools.text(), content: markup() })
    },
    'give a post a template': () => tools.change('posts', { template: tools.one([...templateSlugs, '']) }),
    'change styles': async () =>
      tools.send('POST', `/global-styles/${await stylesId()}`, {
        styles: { color: { text: `#${String(100_000 + tools.next())}` } },
      }),
    'change the gap of blocks': async () =>
      tools.send('POST', `/global-styles/${await stylesId()}`, {
        styles: { spacing: { blockGap: `${tools.next()}px` } },
      }),
    'switch the theme': async () => {
      const { options, themes } = tools.site.kernel.services
      const { stylesheet } = await themes.active()
      if (stylesheet === 'default') await options.set('theme', { stylesheet: 'other', name: tools.text() })
      else await themes.activate('default')
    },
    'create a navigation': () =>
      tools.create('navigation', { title: tools.text(), content: '<!-- wp:page-list /-->', status: 'publish' }),
    'change a navigation': () =>
      tools.change('navigation', {
        content: `<!-- wp:navigation-link {"label":"${tools.next()}","url":"/x"} /-->`,
        status: 'publish',
      }),
    'hide a navigation': () => tools.change('navigation', { status: 'draft' }),
    'delete a navigation': () => tools.remove('navigation'),
  }
}

export const writesOfMoreOptions = (tools: RandomTools): Writes => {
  const set = (name: string, value: () => unknown) => () => tools.site.kernel.services.options.set(name, value())
  return {
    'change entries of feeds': set('posts_per_rss', () => 1 + (tools.next() % 9)),
    'have excerpts in feeds': set('rss_use_excerpt', () => tools.isOn()),
    'hide from search engines': set('blog_public', () => tools.isOn()),
    'hide avatars': set('show_avatars', () => tools.isOn()),
    'change the order of comments': set('comment_order', () => tools.one(['asc', 'desc'])),
    'page comments': set('page_comments', () => tools.isOn()),
    'thread comments': set('thread_comments', () => tools.isOn()),
    'require names': set('require_name_email', () => tools.isOn()),
    'begin weeks': set('start_of_week', () => tools.next() % 7),
    'change the language': set('language', () => tools.one(['en_US', 'de_DE'])),
    'change the garden': set('garden_name', () => tools.text()),
  }
}
