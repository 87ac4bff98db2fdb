import { definePlugin, RequestCache } from '../../../../kernel/index.ts'
import { showOnPage } from '../../../../plugins/rendering/core-blocks/index.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { renderedOf } from '../../../helpers/rendered.ts'
import { serveOn, type ServeOptions, type Site } from '../../../helpers/site.ts'
import type { Place } from '../../../helpers/stores.ts'
import { themeFolder } from '../../../helpers/theme-folder.ts'
import { until } from '../../../helpers/until.ts'
import { addMedia, PHOTO } from '../../content/media/content.ts'
import { receive } from '../../foundation/outgoing/asking.ts'
import type { BlockLines } from './attribute-lines.ts'

/** A site that shows blocks with content to show. */
export interface ShownBlocks extends AsyncDisposable {
  readonly site: Site
  /** Renders a block where its table says. @param around replaces the markup around it */
  show(name: string, block: BlockLines, values: object, around?: string): Promise<string>
  /** Returns the content of a post with a block, with the markup around it. */
  contentOf(name: string, block: BlockLines, values: object): string
  /** Stores a post with a comment, which the blocks show, and returns its ID. */
  post(content: string, title?: string): Promise<number>
}

const pattern = definePlugin({
  name: 'garden',
  needs: ['block-patterns', 'taxonomies'],
  apply({ services }) {
    services.taxonomies.register('zone', 'page', { public: true, show_in_rest: true, hierarchical: true })
    services.blockPatterns.register('garden/bed', { title: 'Bed', content: '<p>Roses</p>' })
  },
})

const FEED =
  '<feed xmlns="http://www.w3.org/2005/Atom">' +
  [1, 2, 3]
    .map(
      (day) =>
        `<entry><title>Entry ${day}</title><link href="/${day}"/><author><name>Rosa</name></author>` +
        `<published>2024-05-0${day}T10:00:00Z</published><summary>one two three</summary></entry>`,
    )
    .join('') +
  '</feed>'

const PARTS = {
  'templates/index.html': '<!-- wp:template-part {"slug":"header"} /--><!-- wp:post-content /-->',
  'parts/one.html': '<p>First part</p>',
  'parts/two.html': '<p>Second part</p>',
}

/** Serves a site with the content that the blocks of the table show. */
export async function serveBlocks(place: Place, options: ServeOptions = {}): Promise<ShownBlocks> {
  const disposables = new AsyncDisposableStack()
  const theme = disposables.use(await themeFolder(PARTS))
  const feed = disposables.use(await receive((_, response) => response.end(FEED)))
  const plugins = { themes: { folder: theme.folder, recheck: 0 }, outgoing: { allow: [`127.0.0.1:${feed.port}`] } }
  const site = disposables.use(await serveOn(place, { ...options, add: [pattern], plugins }))
  await site.kernel.services.options.set('theme', { stylesheet: 'plain' })
  const ids = { ...(await addContent(site)), feed: `${feed.url}/feed` }
  const post = async (content: string, title = 'Around') => {
    const [id] = await addPosts(site.store, { ...ids.around, title, content })
    await site.store.run(site.store.db.insertInto('comments').values({ ...ids.comment, post_id: id! }))
    return id!
  }
  const remove = async (id: number) => {
    await site.store.run(site.store.db.deleteFrom('comments').where('post_id', '=', id))
    await site.store.run(site.store.db.deleteFrom('posts').where('id', '=', id))
  }
  const markupOf = (name: string, { base = {}, inside = '' }: BlockLines, values: object) => {
    const json = JSON.stringify({ ...base, ...values }).replace(/"@(\w+)"/g, (_, one: string) =>
      JSON.stringify((ids as Record<string, unknown>)[one]),
    )
    return inside === '' ? `<!-- wp:${name} ${json} /-->` : `<!-- wp:${name} ${json} -->${inside}<!-- /wp:${name} -->`
  }
  const contentOf: ShownBlocks['contentOf'] = (name, block, values) =>
    (block.around ?? '%').replace('%', () => markupOf(name, block, values))
  const show: ShownBlocks['show'] = async (name, lines, values, around = lines.around ?? '%') => {
    const block = markupOf(name, lines, values)
    const { place: shown } = lines
    if (shown === 'overlay') await theme.write('parts/over.html', block)
    const menu = '<!-- wp:navigation {"overlay":"over"} --><!-- wp:home-link /--><!-- /wp:navigation -->'
    const content = shown === 'overlay' ? menu : contentOf(name, { ...lines, around }, values)
    const id = await post(content)
    const html = await (shown === 'page' ? onPage(site, content, id, ids.editor) : renderedOf(site, id))
    await remove(id)
    return html
  }
  const withFeed = await post(`<!-- wp:rss {"feedURL":"${ids.feed}"} /-->`)
  const route = `/${site.kernel.branding.namespace('v2')}/posts/${withFeed}`
  await until(async () => (await (await site.get(route)).text()).includes('Entry 1'))
  await remove(withFeed)
  return { site, show, contentOf, post, [Symbol.asyncDispose]: () => disposables.disposeAsync() }
}

/** Stores the content, and returns IDs by name. */
async function addContent(site: Site) {
  const { store, kernel } = site
  const { meta, options, users } = kernel.services
  const create = async (name: string, role: string) => {
    const slug = name.toLowerCase()
    const user = { login: name, email: `${slug}@mail.example`, name, slug, roles: [role] }
    const { id } = await users.create(user)
    await meta.write('user', id, 'description', ['Words about the writer'], new RequestCache())
    return id
  }
  // Posts are by the first user unless they name another one.
  const [, beth, editor] = [await create('Ada', 'author'), await create('Beth', 'author'), await create('Ed', 'editor')]
  const term = (name: string, parent = 0, taxonomy = 'category') =>
    addTerm(store, { taxonomy, name, parent_id: parent, count: { Empty: 0, Often: 30 }[name] ?? 3 })
  const [above, tag, second] = [await term('Above'), await term('Tag', 0, 'post_tag'), await term('Often')]
  await term('Below', above)
  await term('Empty')
  const [image, film, other] = await addMedia(
    site,
    {},
    { mime_type: 'video/mp4', file: '2025/01/a.mp4', metadata: { ...PHOTO, width: 640, height: 360, sizes: {} } },
    { mime_type: 'video/mp4', file: '2025/01/b.mp4', metadata: { ...PHOTO, width: 160, height: 90, sizes: {} } },
  )
  const featured = { meta: { _thumbnail_id: image! }, content: 'one two three four', terms: [above] }
  const [first, , third] = await addPosts(
    store,
    { title: 'First', ...featured, date: '2024-04-03 10:00:00' },
    { title: 'Second', ...featured, author_id: 2, terms: [], date: '2024-04-02 10:00:00' },
    { title: 'A third', content: '', date: '2024-04-01 10:00:00' },
    { title: 'Pictured', content: '<img src="https://a.test/first.jpg">', date: '2020-04-01 10:00:00' },
  )
  const [reused] = await addPosts(store, { type: kernel.branding.typeName('block'), content: 'Reused words' })
  const [parent] = await addPosts(store, { type: 'page', title: 'Parent page' })
  const [, front] = await addPosts(
    store,
    { type: 'page', title: 'Child page', parent_id: parent!, terms: [await term('North', 0, 'zone')] },
    { type: 'page', title: 'Front door' },
  )
  const type = kernel.branding.typeName('navigation')
  const link = (name: string) => `<!-- wp:navigation-link {"label":"${name}","url":"/${name}"} /-->`
  const [menu, otherMenu] = await addPosts(
    store,
    { type, content: link('menu') },
    { type, content: link('other-menu') },
  )
  const date = '2025-06-01 10:00:00'
  const content = `${'many '.repeat(30)}last words of a comment`
  const author = { author_name: 'Visitor', author_url: 'https://visitor.test/' }
  const comment = { type: 'comment', approved: '1', date, date_gmt: date, content, ...author }
  await store.run(store.db.insertInto('comments').values({ ...comment, post_id: third! }))
  await options.set('site_logo', image)
  await options.set('title', 'Site')
  await options.set('description', 'Tagline')
  await options.set('show_on_front', 'page')
  await options.set('page_on_front', front)
  const around = {
    excerpt: 'An excerpt',
    terms: [above, tag, second],
    meta: { _thumbnail_id: image!, footnotes: JSON.stringify([{ id: 'n-1', content: 'A note' }]) },
    comment_status: 'open',
    comment_count: 1,
    date: '2024-05-01 10:00:00',
  }
  return { beth, above, image, film, other, third, first, reused, parent, menu, otherMenu, comment, around, editor }
}

/** Renders the blocks of a template on a page that shows a post, the fourth page of a list, an archive and a search. */
async function onPage({ kernel }: Site, content: string, id: number, editor: number): Promise<string> {
  const { blocks, posts, users } = kernel.services
  const scope = new RequestCache()
  const post = (await posts.get(id, scope))!
  const urlOf = (page: number) => `https://home.test/page/${page}/`
  showOnPage(scope, {
    post,
    isOpened: true,
    part: 1,
    commentPage: 0,
    list: { posts: [post], total: 9, perPage: 1, page: 4, pages: 9 },
    archive: { label: 'Category', name: 'Above', term: null },
    search: 'needle',
    url: urlOf(1),
    urlOf,
    partUrl: urlOf,
    user: (await users.current(editor))!,
    comments: { page: 2, pages: 3, perPage: null, order: 'asc', levels: 3, urlOf },
    commentForm: null,
    commentEditUrl: (comment) => `https://home.test/comments/${comment}`,
  })
  return blocks.show(content, null, scope)
}
