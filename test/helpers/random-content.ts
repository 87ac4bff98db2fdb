import { PIXEL } from '../audit/uploading.ts'
import type { Kind, RandomTools, Writes } from './random-tools.ts'

const STATUSES = ['draft', 'private', 'pending', 'future'] as const

/** Returns content that embeds other content: a block, an image, a gallery of the post's own or listed images. */
function nestedContent(tools: RandomTools): string {
  const image = tools.pick('media')
  return tools.one([
    `<!-- wp:block {"ref":${tools.pick('blocks')}} /-->`,
    '[gallery]',
    `[gallery id="${tools.pick('posts')}"]`,
    `[gallery ids="${image}"]`,
    imageMarkup(tools, image),
    dynamicBlock(tools),
    dynamicBlock(tools),
  ])!
}

/** Returns a block whose output depends on other objects of the site. */
function dynamicBlock(tools: RandomTools): string {
  const one =
    '<!-- wp:post-title {"isLink":true} /--><!-- wp:post-author /--><!-- wp:avatar /--><!-- wp:post-date /-->' +
    '<!-- wp:post-terms {"term":"category"} /--><!-- wp:post-excerpt /--><!-- wp:post-content /--><!-- wp:breadcrumbs /-->' +
    '<!-- wp:post-featured-image {"useFirstImageFromPost":true} /--><!-- wp:post-navigation-link /-->' +
    '<!-- wp:post-comments-link /--><!-- wp:comments --><!-- wp:comments-title /--><!-- wp:comment-template -->' +
    '<!-- wp:avatar /--><!-- wp:comment-author-name /--><!-- wp:comment-content /--><!-- wp:comment-reply-link /-->' +
    '<!-- /wp:comment-template --><!-- wp:post-comments-form /--><!-- /wp:comments -->'
  const query = {
    postType: tools.one(['post', 'page'])!,
    perPage: 3,
    inherit: false,
    orderBy: tools.one(['date', 'title'])!,
  }
  const terms = { taxonomy: tools.one(['category', 'post_tag'])!, perPage: 5, hideEmpty: false }
  return tools.one([
    one,
    `<!-- wp:query ${JSON.stringify({ queryId: 1, query })} --><!-- wp:post-template -->${one}<!-- /wp:post-template --><!-- /wp:query -->`,
    `<!-- wp:terms-query ${JSON.stringify({ termQuery: terms })} --><!-- wp:term-template --><!-- wp:term-name {"isLink":true} /--><!-- wp:term-count /--><!-- wp:term-description /--><!-- /wp:term-template --><!-- /wp:terms-query -->`,
    '<!-- wp:latest-posts {"displayPostContent":true,"displayAuthor":true,"displayFeaturedImage":true} /-->',
    '<!-- wp:latest-comments /--><!-- wp:tag-cloud /-->',
    '<!-- wp:categories {"showPostCounts":true,"showHierarchy":true} /--><!-- wp:archives {"showPostCounts":true} /-->',
    '<!-- wp:site-title /--><!-- wp:site-tagline /--><!-- wp:site-logo /-->',
    '<!-- wp:page-list /-->',
    '[chairs]',
    '<!-- wp:furniture/table /--><!-- wp:paragraph --><p>[chairs]</p><!-- /wp:paragraph -->',
    '<!-- wp:calendar {"month":3,"year":2025} /-->',
    `<!-- wp:navigation {"ref":${tools.pick('navigation')}} /-->`,
    `<!-- wp:navigation-link {"id":${tools.pick('posts')},"kind":"post-type","label":"There"} /-->`,
    `<!-- wp:avatar {"userId":${tools.one([tools.site.users.ann, tools.site.users.shy, tools.site.users.ed])}} /-->`,
    '<!-- wp:template-part {"slug":"header"} /--><!-- wp:template-part {"slug":"footer"} /-->',
  ])!
}

const imageMarkup = ({ site }: RandomTools, image: number | undefined) =>
  `<img class="svc-image-${image}" src="${site.home}/uploads/2025/01/image-${image}.png">`

const status = (tools: RandomTools) => (tools.isOn(0.7) ? 'publish' : tools.one(STATUSES)!)
const date = (tools: RandomTools) => `2025-0${1 + Math.floor(tools.random() * 9)}-11T10:00:00`

function newPost(tools: RandomTools): Record<string, unknown> {
  const { ann, ed, admin } = tools.site.users
  return {
    title: tools.text(),
    content: `${tools.text()} ${nestedContent(tools)} ${nestedContent(tools)}`,
    excerpt: tools.text(),
    status: status(tools),
    slug: `river-${Math.floor(tools.random() * 5)}`,
    author: tools.one([ann, ed, admin]),
    categories: [tools.pick('categories'), tools.pick('categories')],
    tags: [tools.pick('tags'), tools.pick('tags')],
    sticky: tools.isOn(0.3),
    password: tools.isOn(0.15) ? 'open sesame' : '',
    featured_media: tools.maybe('media'),
    date: date(tools),
  }
}

function newPage(tools: RandomTools): Record<string, unknown> {
  return {
    title: tools.text(),
    content: tools.text(),
    status: status(tools),
    parent: tools.maybe('pages'),
    menu_order: Math.floor(tools.random() * 9),
  }
}

/** Creates some objects of each kind. */
export async function createContent(tools: RandomTools): Promise<void> {
  await restoreContent(tools)
  for (const kind of ['posts', 'pages', 'blocks', 'navigation'] as const)
    await tools.saveVersions(kind, tools.objects[kind][0])
}

/**
 * Makes the first objects of each kind public and related to each other again. Random writes would soon separate them, so
 * that few writes would change the responses that are read.
 */
export async function restoreContent(tools: RandomTools): Promise<void> {
  const { objects } = tools
  const { users } = tools.site
  const publish = { status: 'publish' }
  const fill = async (kind: Kind, many: number, make: () => Promise<unknown>) => {
    while (objects[kind].length < many) await make()
  }
  await fill('categories', 3, () => tools.create('categories', { name: tools.text() }))
  await fill('tags', 3, () => tools.create('tags', { name: tools.text() }))
  await fill('media', 3, () => addImage(tools))
  await fill('blocks', 2, () => tools.create('blocks', { title: 'block', content: tools.text(), ...publish }))
  await fill('navigation', 1, () => tools.create('navigation', { title: 'menu', content: tools.text(), ...publish }))
  await fill('pages', 3, () => tools.create('pages', newPage(tools)))
  await fill('posts', 5, () => tools.create('posts', newPost(tools)))
  await restoreChain(tools, 'categories')
  await restoreChain(tools, 'pages')
  await tools.restore('blocks', objects.blocks[0]!, publish)
  const [post, other] = objects.posts
  for (const id of [post!, other!]) {
    const [image, block] = [objects.media[0], objects.blocks[0]]
    const content = `<!-- wp:block {"ref":${block}} /-->[gallery]${imageMarkup(tools, image)}${dynamicBlock(tools)}`
    const terms = { categories: [objects.categories[id === post ? 2 : 1]], tags: objects.tags.slice(0, 2) }
    const open = { ...publish, password: '', comment_status: 'open', date: '2025-03-01T10:00:00' }
    await tools.restore('posts', id, { content, ...terms, ...open, author: users.ann, featured_media: image ?? 0 })
  }
  await tools.restore('media', objects.media[0]!, { post, author: users.ann })
  await fill('comments', 3, () => tools.comment(objects.comments.at(-1), users.ann, post))
  for (const id of objects.comments.slice(0, 3)) await tools.restore('comments', id, { status: 'approved' })
}

/** Makes each of the first three objects of a kind the parent of the next. */
async function restoreChain(tools: RandomTools, kind: 'categories' | 'pages'): Promise<void> {
  const chain = tools.objects[kind].slice(0, 3)
  const shown = kind === 'pages' ? { status: 'publish' } : {}
  const parents = chain.map((_, place) => chain[place - 1] ?? 0)
  const isWhole = await Promise.all(chain.map((id, place) => tools.has(kind, id, { ...shown, parent: parents[place] })))
  if (isWhole.every(Boolean)) return
  // From the top, so that no object temporarily becomes its own ancestor.
  for (const id of chain) await tools.change(kind, { ...shown, parent: 0 }, id)
  for (const [place, id] of chain.entries()) await tools.restore(kind, id, { parent: parents[place] })
}

export function writesOfPosts(tools: RandomTools): Writes {
  const { users } = tools.site
  const authors = [users.ann, users.ed, users.shy]
  return {
    'create a post': () => tools.create('posts', newPost(tools)),
    'create a page': () => tools.create('pages', newPage(tools)),
    'change a post': () => tools.change('posts', tools.part(newPost(tools))),
    'change the content of a post': () => tools.change('posts', { content: tools.text() }),
    'change the excerpt of a post': () => tools.change('posts', { excerpt: tools.text() }),
    'change the status of a post': () => tools.change('posts', { status: status(tools) }),
    'publish a post': () => tools.change('posts', { status: 'publish', password: '' }),
    'rename a post': () => tools.change('posts', { title: tools.text(), slug: tools.text() }),
    'date a post': () => tools.change('posts', { date: date(tools) }),
    'give a post to another author': () => tools.change('posts', { author: tools.one(authors) }),
    'give a post other categories': () =>
      tools.change('posts', { categories: [tools.pick('categories'), tools.pick('categories')] }),
    'give a post other tags': () => tools.change('posts', { tags: [tools.pick('tags'), tools.pick('tags')] }),
    'give a post a format': () => tools.change('posts', { format: tools.one(['aside', 'quote', 'standard']) }),
    'stick a post': () => tools.change('posts', { sticky: tools.isOn() }),
    'protect a post': () => tools.change('posts', { password: tools.isOn() ? 'sesame' : '' }),
    'close the comments of a post': () => tools.change('posts', { comment_status: tools.one(['open', 'closed']) }),
    'give meta to a post': () => tools.change('posts', { meta: { mark: tools.text() } }),
    'give a template to a post': () =>
      tools.site.kernel.services.meta.write('post', tools.pick('posts'), 'template', [tools.text()], tools.scope()),
    'nest content in a post': () => tools.change('posts', { content: nestedContent(tools), status: 'publish' }),
    'trash a post': () => tools.send('DELETE', `/posts/${tools.pick('posts')}`),
    'delete a post': () => tools.remove('posts'),
    'save versions of a post': () => tools.saveVersions('posts'),
    'delete a revision of a post': () => {
      const id = Number(tools.objects.versions.get('posts revisions')?.split('/').at(-1))
      const { store } = tools.site
      return store.run(store.db.deleteFrom('posts').where('id', '=', id))
    },
    'change a page': () => tools.change('pages', tools.part(newPage(tools))),
    'publish a page': () => tools.change('pages', { status: 'publish' }),
    'hide a page': () => tools.change('pages', { status: 'draft' }),
    'move a page': () => tools.change('pages', { parent: tools.maybe('pages') }),
    'rename the page above others': () => tools.change('pages', { slug: tools.text() }, tools.objects.pages[0]),
    'rename a page': () => tools.change('pages', { slug: tools.text() }),
    'delete a page': () => tools.remove('pages'),
    'save versions of a page': () => tools.saveVersions('pages'),
    'create a block': () => tools.create('blocks', { title: 'block', content: tools.text(), status: 'publish' }),
    'change a block': () => tools.change('blocks', { content: tools.text(), status: 'publish' }),
    'hide a block': () => tools.change('blocks', { status: 'draft' }),
    'delete a block': () => tools.remove('blocks'),
    'save versions of a block': () => tools.saveVersions('blocks'),
    'save versions of a menu': () => tools.saveVersions('navigation'),
    'schedule a post': () => tools.change('posts', { status: 'future', date: '2099-01-01T10:00:00' }),
    'publish what is due': () => publishDue(tools),
  }
}

export function writesOfTerms(tools: RandomTools): Writes {
  return {
    'create a category': () => tools.create('categories', { name: tools.text(), parent: tools.maybe('categories') }),
    'rename a category': () => tools.change('categories', { name: tools.text() }),
    'describe a category': () => tools.change('categories', { description: tools.text() }),
    'change the slug of a category': () => tools.change('categories', { slug: tools.text() }),
    'change the slug of the category above others': () =>
      tools.change('categories', { slug: tools.text() }, tools.objects.categories[0]),
    'move a category': () => tools.change('categories', { parent: tools.maybe('categories') }),
    'give meta to a category': () => tools.change('categories', { meta: { mark: tools.text() } }),
    'delete a category': () => tools.remove('categories'),
    'create a tag': () => tools.create('tags', { name: tools.text() }),
    'rename a tag': () => tools.change('tags', { name: tools.text() }),
    'change the slug of a tag': () => tools.change('tags', { slug: tools.text() }),
    'delete a tag': () => tools.remove('tags'),
    'write to terms': () => {
      const { db } = tools.site.store
      const count = Math.floor(tools.random() * 9)
      return tools.site.store.run(db.updateTable('terms').set({ count }).where('taxonomy', '=', 'category'))
    },
  }
}

export function writesOfComments(tools: RandomTools): Writes {
  const { users, store } = tools.site
  const { db } = store
  return {
    comment: () => tools.comment(),
    'comment as another': () => tools.comment(0, tools.one([users.ann, users.sub])),
    'reply to a comment': () => tools.comment(tools.pick('comments')),
    'approve and reply': async () => {
      const above = tools.pick('comments')
      await tools.change('comments', { status: 'approved' }, above)
      await tools.comment(above)
    },
    'change a comment': () => tools.change('comments', { content: tools.text() }),
    'date a comment': () => tools.change('comments', { date: date(tools) }),
    'give a comment to another author': () =>
      tools.change('comments', { author: tools.one([users.ann, users.sub, users.admin]) }),
    'moderate a comment': () =>
      tools.change('comments', { status: tools.one(['hold', 'approved', 'approved', 'spam', 'trash']) }),
    'approve a comment': () => tools.change('comments', { status: 'approved' }),
    'move a comment to another post': () => tools.change('comments', { post: tools.pick('posts') }),
    'move a comment below another': async () => {
      const [id, parent] = [tools.pick('comments'), tools.maybe('comments')]
      await store.run(db.updateTable('comments').set({ parent_id: parent }).where('id', '=', id))
    },
    'give meta to a comment': () => tools.change('comments', { meta: { mark: tools.text() } }),
    'delete a comment': () => tools.remove('comments'),
  }
}

export function writesOfMedia(tools: RandomTools): Writes {
  const { meta } = tools.site.kernel.services
  const setFile = (id: number, file: string, width: number) =>
    meta.write('post', id, '_attachment_metadata', [{ width, height: 10, file }], tools.scope())
  return {
    'change an image': () => tools.change('media', { alt_text: tools.text(), caption: tools.text() }),
    'attach an image': () => tools.change('media', { post: tools.maybe('posts') }),
    'give an image to another author': () => tools.change('media', { author: tools.site.users.ann }),
    'feature an image': () => tools.change('posts', { featured_media: tools.maybe('media') }),
    'add an image': () => addImage(tools),
    'upload an image': () => upload(tools),
    'replace a file': async () => {
      const [id, file] = [tools.pick('media'), `2025/02/other-${tools.next()}.png`]
      await meta.write('post', id, '_attached_file', [file], tools.scope())
      await setFile(id, file, 30)
    },
    'delete an image': () => tools.remove('media'),
  }
}

/** Stores an image without a file. */
async function addImage(tools: RandomTools): Promise<void> {
  const { posts, meta } = tools.site.kernel.services
  const write = { user: { id: tools.site.users.admin }, scope: tools.scope() }
  const about = { title: tools.text(), mime_type: 'image/png', parent_id: tools.maybe('posts') }
  const { id } = await posts.create({ type: 'attachment', status: 'inherit', ...about }, write)
  const file = `2025/01/image-${id}.png`
  await meta.write('post', id, '_attached_file', [file], tools.scope())
  await meta.write('post', id, '_attachment_metadata', [{ width: 20, height: 10, file }], tools.scope())
  tools.objects.media.push(id)
}

async function upload(tools: RandomTools): Promise<void> {
  const headers = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="pixel.png"' }
  const sent = { method: 'POST', headers: { ...headers, ...tools.site.by('admin') }, body: new Uint8Array(PIXEL) }
  const response = await tools.site.request('/svc/v2/media', sent)
  if (response.status !== 201) throw new Error(`The upload failed: ${await response.text()}`)
  const { id } = (await response.json()) as { id: number }
  tools.objects.media.push(id)
  await tools.send('POST', `/media/${id}`, { post: tools.pick('posts') })
}

/** Publishes due posts, as the timer of the plugin scheduled-posts does. */
async function publishDue(tools: RandomTools): Promise<void> {
  const { site } = tools
  const { store } = site
  const soon = store.db.selectFrom('posts').select('id').where('status', '=', 'future').limit(1)
  const found = await store.first<{ id: number }>(soon)
  if (found === undefined) return
  const due = '2025-06-01 10:00:00'
  await store.run(store.db.updateTable('posts').set({ date: due, date_gmt: due }).where('id', '=', found.id))
  const write = { user: { id: 0 }, scope: tools.scope(), autosave: true }
  await site.kernel.services.posts.update(found.id, { status: 'publish' }, write)
}
