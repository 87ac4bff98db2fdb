import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { addPosts, addTerm, indexed, type TestPost } from '../../../helpers/content.ts'
import { serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { places } from '../../../helpers/stores.ts'

/** Occurs in all hidden data, and nowhere else. */
const SECRET = /SECRET/i

const shelves = definePlugin({
  name: 'shelves',
  needs: ['taxonomies', 'content-types'],
  apply({ services }) {
    services.taxonomies.register('shelf', ['post'], { public: false, show_in_rest: true })
    services.contentTypes.register('memo', { public: false, show_in_rest: false })
  },
})

/** IDs of hidden data. */
interface Hidden {
  posts: number[]
  terms: number[]
  comments: number[]
  users: number[]
}

async function withSecrets(site: SiteWithUsers): Promise<Hidden & { open: number; own: number }> {
  const { store, users, kernel } = site
  const { con, shy, ann } = users
  const name = (type: 'block' | 'navigation' | 'template_part') => kernel.branding.typeName(type)
  const link = '<!-- wp:navigation-link {"label":"SECRET","url":"/x"} /-->'
  const term = await addTerm(store, { taxonomy: 'shelf', name: 'SECRET shelf', description: 'SECRET', count: 1 })
  const texts = (status: string, more: TestPost = {}): TestPost => ({
    title: `SECRET ${status}`,
    content: '<!-- wp:paragraph --><p>SECRET</p><!-- /wp:paragraph --><img src="/secret.png" alt="SECRET">',
    excerpt: 'SECRET',
    status,
    slug: `secret-${status}`,
    author_id: ann,
    comment_status: 'open',
    comment_count: 1,
    terms: [term],
    meta: { footnotes: JSON.stringify([{ id: 'a', content: 'SECRET' }]) },
    ...more,
  })
  const hidden = await addPosts(
    store,
    ...['draft', 'pending', 'private', 'trash', 'auto-draft'].map((status) => texts(status)),
    texts('future', { date: '2999-01-01 00:00:00' }),
    texts('publish', { type: 'memo' }),
    texts('private', { type: 'page' }),
    texts('draft', { type: 'page', author_id: shy }),
    texts('draft', { type: name('block') }),
    texts('publish', { type: name('block'), password: 'word' }),
    texts('draft', { type: name('navigation'), content: link }),
    texts('publish', { type: name('navigation'), content: link, password: 'word' }),
    texts('draft', { type: name('template_part') }),
  )
  const [below] = await addPosts(store, texts('inherit', { type: 'attachment', parent_id: hidden[2]! }))
  const [shut] = await addPosts(store, texts('publish', { title: 'Shut', slug: 'shut', password: 'word' }))
  const [open, own] = await addPosts(
    store,
    { title: 'Open', author_id: ann, comment_status: 'open', comment_count: 1, terms: [term] },
    { title: 'Own', author_id: con, status: 'draft' },
  )
  const date = '2025-06-01 10:00:00'
  const comment = {
    author_name: 'SECRET',
    author_url: 'https://secret.test',
    content: 'SECRET',
    approved: '1',
    type: 'comment',
    date,
    date_gmt: date,
  }
  const comments: number[] = []
  const addComment = async (row: Partial<typeof comment> & { post_id: number }) => {
    const inserted = await store.first(
      store.db
        .insertInto('comments')
        .values({ ...comment, ...row })
        .returning('id'),
    )
    comments.push(inserted!.id)
  }
  for (const id of hidden.slice(0, 9)) await addComment({ post_id: id })
  await addComment({ post_id: shut!, author_name: 'Somebody', author_url: '' })
  for (const approved of ['0', 'spam', 'trash']) await addComment({ post_id: open!, approved })
  await addComment({ post_id: open!, type: 'note' })
  await indexed(store)
  return { posts: [...hidden, below!, shut!], terms: [term], comments, users: [shy, con], open: open!, own: own! }
}

/** Returns all blocks that show data of the site, with attributes that select hidden data. */
function curious({ posts, terms, users, comments }: Hidden): [name: string, attributes: object][] {
  const baseQuery = { perPage: 100, inherit: false, orderBy: 'date', order: 'desc' }
  const queries = [
    ...['post', 'page', 'memo', 'attachment', 'any', 'svc_block', 'svc_navigation', 'revision'].map((postType) => ({
      postType,
    })),
    { postType: ['post', 'memo'] },
    { search: 'SECRET' },
    { author: users.join() },
    { parents: posts },
    { taxQuery: { shelf: terms } },
    { status: 'draft', post_status: 'any', password: '', include: posts, postIn: posts },
  ]
  return [
    ...queries.map((query): [string, object] => [
      'query',
      { queryId: 1, query: { postType: 'post', ...baseQuery, ...query } },
    ]),
    ...['shelf', 'category'].flatMap((taxonomy): [string, object][] => [
      ['terms-query', { termQuery: { taxonomy, hideEmpty: false, include: terms } }],
      ['terms-query', { termQuery: { taxonomy, hideEmpty: false } }],
      ['categories', { taxonomy, showEmpty: true }],
      ['tag-cloud', { taxonomy }],
      ['post-terms', { term: taxonomy }],
      ['post-navigation-link', { taxonomy, showTitle: true }],
      ['post-navigation-link', { taxonomy, showTitle: true, type: 'previous' }],
    ]),
    ...posts.flatMap((id): [string, object][] => [
      ['block', { ref: id }],
      ['navigation', { ref: id }],
      ['navigation-link', { id, kind: 'post-type', type: 'page', label: 'There' }],
      ['navigation-submenu', { id, kind: 'post-type', type: 'page', label: 'There' }],
      ['page-list', { parentPageID: id }],
      ['post-title', { postId: id }],
      ['post-content', { postId: id, context: { postId: id } }],
    ]),
    ...users.map((id): [string, object] => ['avatar', { userId: id, isLink: true }]),
    ...comments.map((id): [string, object] => ['comment-content', { commentId: id }]),
    ...['date', 'title', 'author'].map((orderBy): [string, object] => [
      'latest-posts',
      {
        postsToShow: 100,
        orderBy,
        displayPostContent: true,
        displayPostContentRadio: 'full_post',
        displayAuthor: true,
        displayFeaturedImage: true,
        selectedAuthor: users[0],
      },
    ]),
    ['latest-posts', { postsToShow: 100, displayPostContent: true, categories: terms.map((id) => ({ id })) }],
    ['latest-posts', { postsToShow: 100, displayPostContent: true }],
    ['latest-comments', { commentsToShow: 100, displayContent: 'full' }],
    ['latest-comments', { commentsToShow: 100, displayExcerpt: true }],
    ...['postbypost', 'alpha', 'yearly', 'daily'].map((type): [string, object] => [
      'archives',
      { type, showPostCounts: true },
    ]),
    ['page-list', {}],
    ['navigation', {}],
    ['comments', { legacy: true }],
    ['template-part', { slug: 'secret-draft' }],
    ['footnotes', {}],
    ['breadcrumbs', {}],
  ]
}

const INSIDE =
  '<!-- wp:post-title /--><!-- wp:post-content /--><!-- wp:post-excerpt /--><!-- wp:post-author-name /-->' +
  '<!-- wp:post-featured-image {"useFirstImageFromPost":true} /--><!-- wp:footnotes /--><!-- wp:post-terms {"term":"shelf"} /-->' +
  '<!-- wp:comments {"legacy":true} /--><!-- wp:breadcrumbs /--><!-- wp:post-navigation-link {"showTitle":true} /-->'
const HOLDERS: Readonly<Record<string, string>> = {
  query: `<!-- wp:post-template -->${INSIDE}<!-- /wp:post-template -->`,
  'terms-query':
    '<!-- wp:term-template --><!-- wp:term-name /--><!-- wp:term-description /--><!-- /wp:term-template -->',
}

for (const { name, make } of places) {
  const hiding = suite(`core blocks, ${name}`)

  hiding('show no hidden data in posts, lists and rendered previews, to any role', async () => {
    await using site = await serveWithUsers(make, { add: [shelves] })
    const hidden = await withSecrets(site)
    const blocks = curious(hidden)
    const content = blocks
      .map(
        ([block, attributes]) =>
          `<!-- wp:${block} ${JSON.stringify(attributes)} -->${HOLDERS[block] ?? ''}<!-- /wp:${block} -->`,
      )
      .join('\n')
    const [page] = await addPosts(site.store, { title: 'Curious', content, author_id: site.users.ann })
    const found: string[] = []
    const findSecret = (location: string, text: string) => {
      // The text before it shows which block rendered it.
      const at = text.search(SECRET)
      if (at >= 0) found.push(`${location}: ${text.slice(Math.max(at - 300, 0), at + 20)}`)
    }
    for (const login of [null, 'sub', 'admin'] as const) {
      const response = await site.get(`/svc/v2/posts/${page}?_fields=content,excerpt`, login ? site.by(login) : {})
      const text = await response.text()
      assert.match(text, 'Open')
      assert.match(text, 'Protected: Shut')
      findSecret(login ?? 'visitor', text)
    }
    findSecret('a list', await (await site.get('/svc/v2/posts?_fields=content,excerpt&per_page=100&_embed')).text())
    const editors = [
      ['con', ''],
      ['ann', `&post_id=${page}`],
    ] as const
    for (const [login, post] of editors) {
      for (const [block, attributes] of blocks) {
        const query = `attributes=${encodeURIComponent(JSON.stringify(attributes))}`
        const path = `/svc/v2/block-renderer/core/${block}?context=edit&${query}${post}`
        const response = await site.get(path, site.by(login))
        assert.ok(response.status < 500, `${response.status} ${path}`)
        findSecret(`${login} ${path}`, await response.text())
      }
    }
    assert.equal(found, [])
    for (const id of hidden.posts) {
      const response = await site.get(
        `/svc/v2/block-renderer/core/post-content?context=edit&post_id=${id}`,
        site.by('con'),
      )
      assert.is(response.status, 403, `post ${id}`)
      for (const login of [null, 'sub'] as const) {
        const other = await site.get(
          `/svc/v2/block-renderer/core/post-content?context=edit&post_id=${id}`,
          login ? site.by(login) : {},
        )
        assert.is(other.status, login === null ? 401 : 403)
      }
    }
  })

  hiding.run()
}
