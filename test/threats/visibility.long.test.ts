import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../kernel/index.ts'
import { addPosts, addTerm, indexed, type TestPost } from '../helpers/content.ts'
import { randomOf } from '../helpers/random.ts'
import { as, serveOn, type Site } from '../helpers/site.ts'
import { places } from '../helpers/stores.ts'

const V2 = '/svc/v2'
const ME = 100
const ROLES = 14

/** Types by the base of their routes. */
const BASES = { post: 'posts', page: 'pages', memo: 'memos', sheet: 'sheets', attachment: 'media' } as const
const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const
const BEFORE_TRASH = ['publish', 'future', 'draft', 'private', undefined] as const
const CAPABILITIES = ['post', 'page', 'memo', 'sheet'].flatMap((one) => [
  `read_private_${one}s`,
  `edit_${one}s`,
  `edit_others_${one}s`,
  `edit_private_${one}s`,
  `edit_published_${one}s`,
])

/** Two more types: one that asks for a right of its own to be read, and one whose rights do not follow from author and status. */
const types = definePlugin({
  name: 'memos',
  needs: ['content-types', 'roles', 'taxonomies'],
  apply({ services: { contentTypes, roles, taxonomies } }) {
    const shared = { public: true, show_in_rest: true, supports: ['title', 'editor', 'author'] }
    contentTypes.register('memo', {
      ...shared,
      rest_base: BASES.memo,
      capability_type: 'memo',
      capabilities: { read: 'read_memos' },
      map_meta_cap: true,
    })
    contentTypes.register('sheet', { ...shared, rest_base: BASES.sheet, capability_type: 'sheet' })
    const random = randomOf(4)
    for (let number = 1; number <= ROLES; number += 1) {
      const all = ['read', 'read_memos', 'read_sheet', 'edit_sheet', ...CAPABILITIES]
      const share = 0.3 + 0.6 * random()
      roles.register(
        `role${number}`,
        'Some',
        all.filter((name) => name === 'read' || random() < share),
      )
    }
    roles.register('helper', 'Helper', ['read', 'edit_posts', 'edit_others_posts'])
    roles.register('memoist', 'Reads memos', ['read', 'read_memos'])
    roles.register('pager', 'Writes pages', ['read', 'edit_pages', 'edit_published_pages', 'publish_pages'])
    taxonomies.register('hid', ['post'], { public: false, show_in_rest: true })
    roles.register('personnel', 'Sees people', ['read', 'list_users'])
  },
})

type StoredPost = TestPost & { id: number; type: keyof typeof BASES; status: string }

/** Posts of each type in each state, by the user who asks and by another one; each has the word `river`. */
async function addAll(site: Site): Promise<StoredPost[]> {
  const random = randomOf(7)
  const rows: (TestPost & Pick<StoredPost, 'type' | 'status'>)[] = []
  for (const type of ['post', 'page', 'memo', 'sheet'] as const) {
    for (const author_id of [ME, 7]) {
      const shared = () => ({ type, author_id, content: 'river', password: random() < 0.4 ? 'x' : '' })
      for (const status of STATUSES) {
        if (status !== 'trash') rows.push({ ...shared(), status })
        else
          for (const before of BEFORE_TRASH)
            rows.push({ ...shared(), status, ...(before && { meta: { _trash_meta_status: before } }) })
      }
    }
  }
  const posts = await addPosts(site.store, ...rows)
  // A page holds no more than 100.
  const files = [0, ...posts.filter((_, index) => index % 2 === 0)].flatMap((parent_id) =>
    [ME, 7].map((author_id) => ({
      type: 'attachment' as const,
      status: 'inherit',
      parent_id,
      author_id,
      content: 'river',
      mime_type: 'image/png',
    })),
  )
  const all = [...rows, ...files]
  const ids = [...posts, ...(await addPosts(site.store, ...files))]
  await indexed(site.store)
  return all.map((post, index) => ({ ...post, id: ids[index]! }))
}

async function list(site: Site, path: string, headers: Record<string, string>) {
  const response = await site.get(`${V2}/${path}`, headers)
  const body = (await response.json()) as { id: number }[]
  if (response.status !== 200) return null
  const ids = body.map(({ id }) => id).sort((a, b) => a - b)
  return { ids, total: Number(response.headers.get('x-svc-total')) }
}

for (const { name, make } of places) {
  const visibility = suite(`unreadable posts and terms on ${name}`)

  visibility('S6, S11: are neither contained nor counted in lists and searches', async () => {
    await using site = await serveOn(await make(), { add: [types] })
    const all = await addAll(site)
    const logins = [
      'visitor',
      'helper',
      'memoist',
      ...Array.from({ length: ROLES }, (_, number) => `role${number + 1}`),
    ]
    let compared = 0
    for (const login of logins) {
      const headers = login === 'visitor' ? {} : as(login, ME)
      const reads = async ({ type, id }: StoredPost, query: string) =>
        (await site.get(`${V2}/${BASES[type]}/${id}?_fields=id${query}`, headers)).status === 200
      const seen = await Promise.all(all.map((post) => reads(post, '')))
      const opened = await Promise.all(all.map(async (post) => !post.password || reads(post, '&context=edit')))
      const expected = (belongs: (post: StoredPost, index: number) => boolean) => {
        const ids = all.filter((post, index) => seen[index] && belongs(post, index)).map(({ id }) => id)
        return { ids, total: ids.length }
      }
      for (const [type, base] of Object.entries(BASES)) {
        for (const status of type === 'attachment' ? ['inherit'] : [...STATUSES, 'publish,draft,private,trash']) {
          const query = `${base}?status=${status}&per_page=100&_fields=id`
          const isOf = (post: StoredPost) => post.type === type && status.split(',').includes(post.status)
          const sorted = await list(site, `${query}&orderby=title`, headers)
          if (sorted === null) continue
          compared += 1
          assert.equal(sorted, expected(isOf), `${login}: ${query}`)
          const found = await list(site, `${query}&search=river`, headers)
          assert.equal(
            found,
            expected((post, index) => isOf(post) && opened[index]!),
            `${login}: ${query}&search=river`,
          )
        }
      }
      const searchable = (post: StoredPost) => post.status === 'publish' && post.type !== 'attachment'
      for (const subtype of ['any', 'page', 'memo', 'sheet']) {
        const isOf = (post: StoredPost) => searchable(post) && (subtype === 'any' || post.type === subtype)
        const query = `search?subtype=${subtype}&per_page=100`
        assert.equal(await list(site, query, headers), expected(isOf), `${login}: ${query}`)
        const found = await list(site, `${query}&search=river`, headers)
        assert.equal(
          found,
          expected((post, index) => isOf(post) && opened[index]!),
          `${login}: ${query}&search=river`,
        )
      }
    }
    assert.ok(compared > 200, `${compared} lists`)
  })

  visibility('S12: do not reveal their authors in lists of users', async () => {
    await using site = await serveOn(await make(), { add: [types] })
    const { users } = site.kernel.services
    const add = async (login: string) =>
      (await users.create({ login, email: `${login}@mail.example`, slug: login, password: 'long pass phrase' })).id
    const [writer, secret] = [await add('writer'), await add('secret')]
    await addPosts(site.store, { author_id: writer }, { type: 'memo', author_id: secret })
    const slugs = async (query: string, headers = {}) =>
      (await site.json(`${V2}/users${query}`, headers)).map(({ slug }: { slug: string }) => slug)
    assert.equal(await slugs(''), ['writer'])
    assert.equal(await slugs('?has_published_posts[]=memo'), [])
    assert.equal(await slugs('?has_published_posts[]=memo', as('personnel', ME)), [])
    assert.equal(await slugs('?has_published_posts[]=post', as('personnel', ME)), ['writer'])
    assert.is((await site.get(`${V2}/users/${secret}`)).status, 401)
    assert.is((await site.get(`${V2}/users/${writer}`)).status, 200)
  })

  visibility('S6, S10: are not revealed by readable posts', async () => {
    await using site = await serveOn(await make(), { add: [types] })
    const hid = await addTerm(site.store, { taxonomy: 'hid', name: 'Confidential' })
    const [tagged, other] = await addPosts(site.store, { terms: [hid] }, {})
    for (const [headers, sees] of [
      [{}, false],
      [as('contributor', ME), true],
    ] as const) {
      assert.is((await site.get(`${V2}/hid/${hid}`, headers)).status, sees ? 200 : 401)
      const post = await site.json(`${V2}/posts/${tagged}?_embed`, headers)
      assert.equal(post.hid, sees ? [hid] : undefined)
      const links = post._links['svc:term'].map(({ taxonomy }: { taxonomy: string }) => taxonomy)
      assert.is(links.includes('hid'), sees)
      assert.is(JSON.stringify(post).includes('Confidential'), sees)
      const [one, none] = [
        await list(site, `posts?hid=${hid}`, headers),
        await list(site, `posts?hid_exclude=${hid}`, headers),
      ]
      assert.equal(one?.ids, sees ? [tagged] : [tagged, other])
      assert.equal(none?.ids, sees ? [other] : [tagged, other])
    }
  })

  visibility('S6: cannot become parents, like missing posts', async () => {
    await using site = await serveOn(await make(), { add: [types] })
    const [hidden, own, open] = await addPosts(
      site.store,
      { type: 'page', status: 'private', author_id: 7 },
      { type: 'page', status: 'draft', author_id: ME },
      { type: 'page', author_id: 7 },
    )
    const write = async (path: string, parent: number | undefined, role = 'pager') => {
      const headers = { 'content-type': 'application/json', ...as(role, ME) }
      const body = JSON.stringify({ title: 'child', parent })
      return site.request(`${V2}/pages${path}`, { method: 'POST', headers, body })
    }
    for (const path of ['', `/${own}`]) {
      const [refused, missing] = [await write(path, hidden), await write(path, 99_999)]
      assert.is(refused.status, 400, path)
      assert.equal(await refused.json(), await missing.json())
      assert.ok((await write(path, open)).ok)
    }
    assert.is((await write('', own)).status, 201)
    assert.is((await write('', hidden, 'editor')).status, 201)
    // Where it is below such a page already it may stay there.
    const [below] = await addPosts(site.store, { type: 'page', author_id: ME, parent_id: hidden! })
    assert.is((await write(`/${below}`, hidden)).status, 200)
  })

  visibility.run()
}
