import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestRequest, type CurrentUser } from '../../kernel/index.ts'
import { addPosts, addTerm, indexed, type TestPost } from '../helpers/content.ts'
import { browse, type Browser } from '../helpers/browser.ts'
import { randomOf } from '../helpers/random.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'
import { editorFolder } from '../plugins/site/editor/fake-bundle.ts'

// S6, S8: pages of the site, the admin and the block editor must show only content that their reader can read by the REST API.

/** How many users with roles made at random look at all pages; with it, all states, types and roles are tried. */
const MANY = process.env['SVC_TEST_READERS']
const RANDOM_USERS = Number(MANY ?? 2)
const BASES = { post: 'posts', page: 'pages', memo: 'memos' } as const
const TYPES = MANY === undefined ? (['post', 'memo'] as const) : (['post', 'page', 'memo'] as const)
const STATES =
  MANY === undefined
    ? (['locked', 'private', 'draft'] as const)
    : (['publish', 'locked', 'private', 'draft', 'pending', 'future', 'auto-draft', 'trash'] as const)
const LOGINS = MANY === undefined ? (['con'] as const) : (['sub', 'con', 'shy', 'ed', 'admin'] as const)
const CAPABILITIES = ['post', 'page', 'memo'].flatMap((one) => [
  `read_private_${one}s`,
  `edit_${one}s`,
  `edit_others_${one}s`,
  `edit_private_${one}s`,
  `edit_published_${one}s`,
  `publish_${one}s`,
  `delete_${one}s`,
])
const OTHERS = [
  'upload_files',
  'moderate_comments',
  'edit_theme_options',
  'list_users',
  'manage_categories',
  'read_memos',
]

/** A type that asks for a right of its own to be read, and roles of any rights. */
const types = definePlugin({
  name: 'memos',
  needs: ['content-types', 'roles'],
  apply({ services: { contentTypes, roles } }) {
    contentTypes.register('memo', {
      public: true,
      show_in_rest: true,
      supports: ['title', 'editor', 'author', 'comments', 'revisions'],
      rest_base: 'memos',
      has_archive: true,
      capability_type: 'memo',
      capabilities: { read: 'read_memos' },
      map_meta_cap: true,
    })
    const random = randomOf(Number(process.env['SVC_TEST_SEED'] ?? 11))
    for (let number = 1; number <= RANDOM_USERS; number += 1) {
      const share = 0.2 + 0.7 * random()
      roles.register(`role${number}`, 'Some', ['read', ...[...CAPABILITIES, ...OTHERS].filter(() => random() < share)])
    }
  },
})

interface StoredPost {
  readonly id: number
  readonly type: keyof typeof BASES
  readonly state: (typeof STATES)[number]
  readonly comment: number
  readonly file: number
}

/** What must not be told of a post: words that stand nowhere else. */
const words = {
  title: (id: number) => `zqtitle${id}x`,
  slug: (id: number) => `zqslug${id}x`,
  content: (id: number) => `zqcontent${id}x`,
  comment: (id: number) => `zqcomment${id}x`,
  mail: (id: number) => `zqmail${id}x`,
  file: (id: number) => `zqfile${id}x`,
  saved: (id: number) => `zqsaved${id}x`,
}

for (const { name, place } of databases) {
  const pages = suite(`pages of the site, the admin and the block editor on ${name}`)

  pages('S6, S8: show no content that the REST API hides from the same reader', async () => {
    await using files = await editorFolder()
    await files.fill()
    await using site = await serveWithUsers(place, { add: [types], plugins: { editor: { folder: files.folder } } })
    const posts = await addAll(site)
    await indexed(site.store)
    const readers = await readersOf(site)
    const leaks = new Set<string>()
    let shownCount = 0
    for (const { about, browser, user } of readers) {
      const allowed = await allowedTo(site, user, posts)
      for (const path of pathsOf(posts)) {
        const id = /^\/\?p=(\d+)$/.exec(path)?.[1]
        const responses = [browser.open(path)]
        if (id !== undefined) {
          const comment = { comment_post_ID: id, author: 'Bob', email: 'bob@mail.example', comment: 'Well' }
          responses.push(browser.send('/svc-comments-post', comment), browser.send(path, { post_password: 'wrong' }))
        }
        for (const answer of responses) {
          const response = await answer
          const text = `${response.headers.get('location')} ${response.headers.get('link')} ${await response.text()}`
          if (response.status >= 500) leaks.add(`${response.status} ${path} for ${about}`)
          for (const [found] of text.matchAll(/zq[a-z]+\d+x/g)) {
            // A search says its own words.
            if (allowed.has(found)) shownCount += 1
            else if (!path.includes(found)) leaks.add(`${about} at ${path}: ${found}`)
          }
        }
      }
    }
    assert.equal([...leaks], [])
    assert.ok(shownCount > 100, `${shownCount}`)
  })

  pages.run()
}

async function addAll(site: SiteWithUsers): Promise<StoredPost[]> {
  const { store, users } = site
  const news = await addTerm(store, { taxonomy: 'category', name: 'News', count: 3 })
  const posts: StoredPost[] = []
  for (const type of TYPES) {
    for (const state of STATES) {
      const [id] = (await addPosts(store, { type, status: 'draft', author_id: users.con })) as [number]
      const row: TestPost = {
        title: words.title(id),
        slug: words.slug(id),
        content: `<!-- svc:paragraph --><p>${words.content(id)}</p><!-- /svc:paragraph -->`,
        excerpt: '',
        status: state === 'locked' ? 'publish' : state,
        password: state === 'locked' ? 'sesame' : '',
        comment_status: 'open',
        ...((state as string) === 'future' && { date: '2190-01-01 00:00:00', date_gmt: '2190-01-01 00:00:00' }),
      }
      await store.run(
        store.db
          .updateTable('posts')
          .set(row as never)
          .where('id', '=', id),
      )
      if (type === 'post')
        await store.run(store.db.insertInto('term_relationships').values({ post_id: id, term_id: news }))
      await store.run(store.db.insertInto('post_meta').values({ post_id: id, key: '_old_slug', value: `old-${id}` }))
      const saved = {
        type: 'revision',
        status: 'inherit',
        parent_id: id,
        author_id: users.con,
        content: words.saved(id),
        title: words.saved(id),
        slug: `${id}-autosave-v1`,
      }
      await addPosts(store, saved, { ...saved, slug: `${id}-revision-v1` })
      const commentRow = {
        post_id: id,
        author_name: words.comment(id),
        content: words.comment(id),
        author_email: `${words.mail(id)}@mail.example`,
        approved: '1',
        type: 'comment',
        date: '2024-05-05 12:00:00',
        date_gmt: '2024-05-05 12:00:00',
      }
      const comment = (await store.first(store.db.insertInto('comments').values(commentRow).returning('id')))!.id
      const attached = {
        type: 'attachment',
        status: 'inherit',
        parent_id: id,
        title: words.file(id),
        excerpt: words.file(id),
        mime_type: 'image/png',
        author_id: users.con,
      }
      const [file] = (await addPosts(store, attached)) as [number]
      await store.run(
        store.db.insertInto('post_meta').values({ post_id: id, key: '_thumbnail_id', value: String(file) }),
      )
      posts.push({ id, type, state, comment, file })
    }
  }
  return posts
}

interface Reader {
  readonly about: string
  readonly browser: Browser
  readonly user: CurrentUser | undefined
}

/** A visitor, a user of each role, some with roles made at random, and one with several. */
async function readersOf(site: SiteWithUsers): Promise<Reader[]> {
  const { users, sessions, sessionCookie } = site.kernel.services
  const logins: [string, number][] = LOGINS.map((login) => [login, site.users[login]])
  for (let number = 1; number <= RANDOM_USERS; number += 1) {
    const roles = number === 1 ? ['role1', 'subscriber'] : [`role${number}`]
    const { id } = await users.create({ login: `some${number}`, email: `s${number}@mail.example`, roles })
    logins.push([roles.join(' and '), id])
  }
  const readers: Reader[] = [{ about: 'visitor', browser: browse(site), user: undefined }]
  for (const [about, id] of logins) {
    const browser = browse(site)
    const session = await sessions.create(id, { ip: '127.0.0.1', agent: 'test' })
    browser.cookie = sessionCookie.set(session, false).split(';', 1)[0]!
    readers.push({ about, browser, user: await users.current(id) })
  }
  return readers
}

/** The words that the REST API tells a user. */
async function allowedTo(site: SiteWithUsers, user: CurrentUser | undefined, posts: readonly StoredPost[]) {
  const { server } = site.kernel
  const allowed = new Set<string>()
  for (const { id, type, comment, file } of posts) {
    const parent = new RestRequest('GET', '/')
    if (user !== undefined) parent.user = user
    const read = async (path: string, query = {}) =>
      JSON.stringify((await server.dispatch(new RestRequest('GET', `/svc/v2/${path}`, { query, parent }))).data ?? '')
    const texts = [
      await read(`${BASES[type]}/${id}`),
      await read(`${BASES[type]}/${id}`, { context: 'edit' }),
      await read(`${BASES[type]}/${id}/revisions`),
      await read(`${BASES[type]}/${id}/autosaves`),
      await read(`comments/${comment}`),
      await read(`comments/${comment}`, { context: 'edit' }),
      await read(`media/${file}`),
    ]
    for (const text of texts) for (const [word] of text.matchAll(/zq[a-z]+\d+x/g)) allowed.add(word)
  }
  return allowed
}

function pathsOf(posts: readonly StoredPost[]): string[] {
  const own = posts.flatMap(({ id, type, comment, file }) => [
    `/?p=${id}`,
    `/?p=${id}&preview=true`,
    `/?p=${id}&preview_id=${id}&preview=true&preview_nonce=0123456789`,
    `/${type === 'memo' ? 'memo/' : ''}${words.slug(id)}/`,
    `/old-${id}/`,
    `/?p=${id}&feed=rss2`,
    `/?attachment_id=${file}`,
    `/${words.file(id)}/`,
    `/svc-admin/media/${file}`,
    `/${type === 'memo' ? 'memo/' : ''}${words.slug(id)}/feed/`,
    `/svc-admin/content/${type}/${id}`,
    `/svc-admin/content/${type}/${id}/revisions`,
    `/svc-admin/comments/${comment}`,
    `/svc-admin/editor/${type}/${id}`,
    `/svc-admin/editor/post.php?post=${id}&action=edit`,
  ])
  const lists = TYPES.flatMap((type) => [
    `/svc-admin/content/${type}`,
    `/svc-admin/content/${type}?status=trash`,
    `/svc-admin/content/${type}?search=zqcontent`,
    `/svc-admin/editor/${type}/new`,
  ])
  const rest = [
    '',
    'comments',
    'media',
    'media?view=list',
    'menus',
    'menus?add=zq',
    'terms/category',
    'appearance',
    'users',
    'editor/site',
    'jobs',
    'plugins',
  ]
  return [
    '/',
    '/feed/',
    '/feed/atom/',
    '/comments/feed/',
    '/sitemap.xml',
    '/sitemap-post-post-1.xml',
    '/sitemap-post-memo-1.xml',
    '/category/news/',
    '/category/news/feed/',
    '/2024/05/',
    '/?s=zqcontent',
    '/?s=zqtitle',
    '/author/con-w/',
    '/memo/',
    '/memo/feed/',
    '/?m=219001',
    ...own,
    ...lists,
    ...rest.map((path) => `/svc-admin/${path}`),
  ]
}
