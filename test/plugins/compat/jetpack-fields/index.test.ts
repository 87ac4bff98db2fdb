import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { as, serve, serveOn, type Site } from '../../../helpers/site.ts'
import { filePlace, kindsOf, postgresPlace } from '../../../helpers/stores.ts'

const jetpackFields = suite('fields of Jetpack')

const kinds = kindsOf([{ name: 'SQLite', make: filePlace }], (server) => ({
  name: 'PostgreSQL',
  make: () => postgresPlace(server),
}))
const PLUGINS = { plugins: { 'jetpack-fields': true } }

interface Related {
  id: number
  title: string
  [field: string]: unknown
}
interface Shown {
  id: number
  jetpack_featured_media_url: string
  jetpack_sharing_enabled: boolean
  'jetpack-related-posts': Related[]
}

async function addImage(site: Site, title: string, values: object = {}): Promise<number> {
  const image = { type: 'attachment', mime_type: 'image/png', status: 'inherit', title, slug: title, ...values }
  const [id] = await addPosts(site.store, { ...image, guid: `http://images.test/${title}.png` })
  return id!
}

/** Three posts of a category; the first also shares a tag with the third. */
async function addGarden(site: Site) {
  const plants = await addTerm(site.store, { taxonomy: 'category', name: 'Plants & trees' })
  const red = await addTerm(site.store, { taxonomy: 'post_tag', name: 'Red' })
  const ids = await addPosts(
    site.store,
    { title: 'Rose', date: '2024-05-03 10:00:00', terms: [plants, red], content: '<p>A thorny flower.</p>' },
    { title: 'Oak', date: '2024-05-02 10:00:00', terms: [plants] },
    { title: 'Tulip', date: '2024-05-01 10:00:00', terms: [plants, red], content: '<p>From <b>Persia</b>.</p>' },
    { title: 'Secret', terms: [plants, red], status: 'draft' },
    { title: 'Locked', terms: [plants, red], password: 'x' },
    { title: 'Alone' },
  )
  return { ids, plants, red }
}

const postsOf = async (site: Site, query = '') => (await site.json(`/svc/v2/posts?per_page=50&${query}`)) as Shown[]

for (const { name, make } of kinds) {
  jetpackFields(`show published posts with the most shared terms, on ${name}`, async () => {
    await using site = await serveOn(await make(), PLUGINS)
    const { ids } = await addGarden(site)
    const shown = new Map((await postsOf(site)).map((post) => [post.id, post['jetpack-related-posts']]))
    assert.equal(
      shown.get(ids[0]!)!.map(({ title }) => title),
      ['Tulip', 'Oak'],
    )
    assert.equal(shown.get(ids[5]!), [])
    const [tulip] = shown.get(ids[0]!)!
    assert.equal(tulip, {
      id: ids[2],
      url: `${site.home}/2024/05/01/tulip/`,
      url_meta: { origin: ids[0], position: 0 },
      title: 'Tulip',
      author: '',
      date: 'May 1, 2024',
      format: false,
      excerpt: 'From Persia.',
      rel: '',
      context: 'In "Plants & trees"',
      img: { alt_text: '', src: '', width: 0, height: 0 },
      classes: [],
    })
  })
}

jetpackFields('read the related posts of a list in a constant number of statements', async () => {
  await using site = await serve(PLUGINS)
  const { plants, red } = await addGarden(site)
  const read = () => site.json('/svc/v2/posts?_fields=jetpack-related-posts&per_page=50')
  const few = await site.statements(read)
  for (let index = 0; index < 12; index += 1)
    await addPosts(site.store, { title: `More ${index}`, terms: [plants, red] })
  const many = await site.statements(read)
  assert.is(many.length, few.length, many.join('\n'))
})

jetpackFields('change in cached responses when a post loses a term', async () => {
  await using site = await serve(PLUGINS)
  const { ids, red } = await addGarden(site)
  const related = async () =>
    ((await site.json(`/svc/v2/posts/${ids[0]}`)) as Shown)['jetpack-related-posts'].map(({ title }) => title)
  assert.equal(await related(), ['Tulip', 'Oak'])
  const { store } = site
  await store.run(store.db.deleteFrom('term_relationships').where('post_id', '=', ids[2]!).where('term_id', '=', red))
  assert.equal(await related(), ['Oak', 'Tulip'])
})

jetpackFields('show the URL of a featured image only to users who may read it', async () => {
  await using site = await serve(PLUGINS)
  const image = await addImage(site, 'leaf')
  const [draft] = await addPosts(site.store, { title: 'Draft', status: 'draft' })
  const hidden = await addImage(site, 'hidden', { parent_id: draft })
  const [open, closed] = await addPosts(
    site.store,
    { title: 'Open', meta: { _thumbnail_id: image } },
    { title: 'Closed', meta: { _thumbnail_id: hidden } },
  )
  const urlOf = async (id: number, headers = {}) =>
    ((await site.json(`/svc/v2/posts/${id}`, headers)) as Shown).jetpack_featured_media_url
  assert.match(await urlOf(open!), /^http:.+png$/)
  assert.is(await urlOf(closed!), '')
  assert.match(await urlOf(closed!, as('administrator')), /^http:.+png$/)
})

jetpackFields('switch sharing off for users who may edit the post', async () => {
  await using site = await serve(PLUGINS)
  const [id] = await addPosts(site.store, { title: 'Shared' })
  const isShared = async () => ((await site.json(`/svc/v2/posts/${id}`)) as Shown).jetpack_sharing_enabled
  const set = async (value: boolean, headers: object) =>
    (
      await site.request(`/svc/v2/posts/${id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jetpack_sharing_enabled: value }),
      })
    ).status
  assert.is(await isShared(), true)
  assert.is(await set(false, {}), 401)
  assert.is(await set(false, as('editor')), 200)
  assert.is(await isShared(), false)
  assert.is(await set(true, as('editor')), 200)
  assert.is(await isShared(), true)
})

jetpackFields.run()
