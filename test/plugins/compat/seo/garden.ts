import { addPosts, addTerm } from '../../../helpers/content.ts'
import { serveOn, type Site } from '../../../helpers/site.ts'
import { filePlace, kindsOf, postgresPlace, type Place } from '../../../helpers/stores.ts'

export const kinds = kindsOf([{ name: 'SQLite', make: filePlace }], (server) => ({
  name: 'PostgreSQL',
  make: () => postgresPlace(server),
}))

/** Serves a garden site with the plugin and stored options. */
export async function garden(
  options: Readonly<Record<string, unknown>>,
  { place, more = {} }: { place?: Place; more?: object } = {},
): Promise<Site> {
  const at = place ?? (await filePlace())
  {
    await using site = await serveOn(await keepOpen(at), { only: ['settings'] })
    for (const [name, value] of Object.entries({ title: 'Green & Co', description: 'Plants', ...options }))
      await site.kernel.services.options.set(name, value)
  }
  return serveOn(at, { plugins: { seo: true }, ...more })
}

/** The same place, which stays when its first site ends. */
async function keepOpen({ url }: Place): Promise<Place> {
  return { url, async [Symbol.asyncDispose]() {} }
}

/** Stores a user, an image, terms, posts and pages. Returns their IDs. */
export async function addPlants({ store }: Site, prefix: 'rank_math_' | '_yoast_wpseo_') {
  await store.run(
    store.db.insertInto('users').values({
      id: 7,
      login: 'flora',
      slug: 'flora',
      name: 'Flora',
      email: 'flora@example.test',
      url: 'https://flora.example.test/',
      registered: '2024-01-01 00:00:00',
      password_hash: '',
    }),
  )
  const description = prefix === 'rank_math_' ? 'description' : 'metadesc'
  const news = await addTerm(store, { taxonomy: 'category', name: 'News', description: 'All <b>news</b>', count: 1 })
  const tag = await addTerm(store, { taxonomy: 'post_tag', name: 'Red', count: 1 })
  const [image] = await addPosts(store, {
    type: 'attachment',
    status: 'inherit',
    title: 'leaf',
    mime_type: 'image/png',
    guid: 'http://images.test/leaf.png',
  })
  const text = {
    author_id: 7,
    terms: [news, tag],
    content: '<!-- wp:paragraph --><p>A rose is red.</p><!-- /wp:paragraph -->',
  }
  const [rose, tulip, draft, locked] = await addPosts(
    store,
    { ...text, title: 'Rose "red" < 3', slug: 'rose', date: '2024-05-01 10:00:00', meta: { _thumbnail_id: image! } },
    {
      ...text,
      title: 'Tulip',
      date: '2024-05-02 10:00:00',
      meta: { [`${prefix}title`]: 'Own title', [`${prefix}${description}`]: 'About "tulips"' },
    },
    { ...text, title: 'Draft', status: 'draft' },
    { ...text, title: 'Locked', password: 'x' },
  )
  const [about] = await addPosts(store, { type: 'page', title: 'About', author_id: 7, content: '<p>About us.</p>' })
  await addPosts(store, { type: 'page', title: 'Team', parent_id: about!, author_id: 7 })
  return { image: image!, rose: rose!, tulip: tulip!, draft: draft!, locked: locked!, news, tag }
}
