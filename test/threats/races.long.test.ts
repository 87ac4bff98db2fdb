import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts, addTerm } from '../helpers/content.ts'
import { brokenInvariants } from '../helpers/invariants.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'

// S38: concurrent writes leave a consistent database: no dangling references, and correct counters.

/** Number of runs of each pair: many in a manual run, a few in the suite. */
const ROUNDS = Number(process.env['SVC_RACE_ROUNDS'] ?? 2)
/** Maximum number of rounds between two checks of the database. */
const ROUNDS_PER_CHECK = 10

const V2 = '/svc/v2'

interface Answer {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect by looking at it
  body: any
}

/** A site whose users have real credentials. */
interface Scene {
  site: SiteWithUsers
  send: (method: string, path: string, body?: unknown, login?: string) => Promise<Answer>
  /** A new account. */
  newUser: (role?: string) => Promise<{ id: number; login: string }>
  post: (change?: object) => Promise<number>
  page: (change?: object) => Promise<number>
  file: () => Promise<number>
  category: (parent?: number) => Promise<number>
  tag: () => Promise<number>
  comment: (post: number, parent?: number) => Promise<number>
}

type Act = () => Promise<unknown>

let nameCount = 0

async function sceneOf(site: SiteWithUsers): Promise<Scene> {
  const { applicationPasswords, users } = site.kernel.services
  const secrets = new Map<string, string>()
  const admit = async (id: number, login: string) => {
    const { password } = await applicationPasswords.create(id, { name: 'test', scopes: ['accounts'] })
    secrets.set(login, `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`)
  }
  await admit(site.users.admin, 'admin')
  const send: Scene['send'] = async (method, path, body, login = 'admin') => {
    const response = await site.request(path, {
      method,
      headers: { 'content-type': 'application/json', authorization: secrets.get(login)! },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: JSON.parse((await response.text()) || 'null') }
  }
  const one = async (post: object) => (await addPosts(site.store, { author_id: site.users.admin, ...post }))[0]!
  const name = (kind: string) => `${kind} ${(nameCount += 1)}`
  return {
    site,
    send,
    async newUser(role = 'author') {
      const login = `p${(nameCount += 1)}`
      const { id } = await users.create({ login, email: `${login}@mail.example`, roles: [role] })
      await admit(id, login)
      return { id, login }
    },
    post: (change = {}) => one({ title: name('Post'), ...change }),
    page: (change = {}) => one({ title: name('Page'), type: 'page', ...change }),
    file: () => one({ title: name('File'), type: 'attachment', status: 'inherit', mime_type: 'image/png' }),
    category: (parent = 0) => addTerm(site.store, { taxonomy: 'category', name: name('Cat'), parent_id: parent }),
    tag: () => addTerm(site.store, { taxonomy: 'post_tag', name: name('Tag') }),
    async comment(post, parent = 0) {
      const { body } = await send('POST', `${V2}/comments`, { post, parent, content: name('Comment') })
      return body.id
    },
  }
}

/** Concurrent writes by the consistency that they threaten. */
const RACES: Record<string, (scene: Scene) => Promise<Act[]>> = {
  async 'comments on a post that is deleted'({ send, post }) {
    const id = await post()
    const comment = (content: string) => () => send('POST', `${V2}/comments`, { post: id, content })
    return [comment('one'), () => send('DELETE', `${V2}/posts/${id}?force=true`), comment('two')]
  },
  async 'answers to a comment that is deleted'({ send, post, comment }) {
    const id = await post()
    const parent = await comment(id)
    const answer = () => send('POST', `${V2}/comments`, { post: id, parent, content: 'answer' })
    return [answer, () => send('DELETE', `${V2}/comments/${parent}?force=true`)]
  },
  async 'a comment that moves to a post that is deleted'({ send, post, comment }) {
    const [from, to] = [await post(), await post()]
    const id = await comment(from)
    return [
      () => send('PUT', `${V2}/comments/${id}`, { post: to }),
      () => send('DELETE', `${V2}/posts/${to}?force=true`),
    ]
  },
  async 'a comment that moves while its own post is deleted'({ send, post, comment }) {
    const [from, to] = [await post(), await post()]
    const id = await comment(from)
    return [
      () => send('PUT', `${V2}/comments/${id}`, { post: to }),
      () => send('DELETE', `${V2}/posts/${from}?force=true`),
    ]
  },
  async 'comments that answer each other'({ send, post, comment }) {
    const id = await post()
    const [one, other] = [await comment(id), await comment(id)]
    return [
      () => send('PUT', `${V2}/comments/${one}`, { parent: other }),
      () => send('PUT', `${V2}/comments/${other}`, { parent: one }),
    ]
  },
  async 'states of comments of one post'({ send, post, comment }) {
    const id = await post()
    const [one, other] = [await comment(id), await comment(id)]
    return [
      () => send('PUT', `${V2}/comments/${one}`, { status: 'hold' }),
      () => send('DELETE', `${V2}/comments/${other}`),
      () => send('DELETE', `${V2}/comments/${other}?force=true`),
      () => send('POST', `${V2}/comments`, { post: id, content: 'more' }),
      () => send('PUT', `${V2}/posts/${id}`, { title: 'meanwhile' }),
    ]
  },
  async 'a term that is assigned and deleted'({ send, post, category, tag }) {
    const [id, theme, word] = [await post(), await category(), await tag()]
    return [
      () => send('PUT', `${V2}/posts/${id}`, { categories: [theme], tags: [word] }),
      () => send('DELETE', `${V2}/categories/${theme}?force=true`),
      () => send('DELETE', `${V2}/tags/${word}?force=true`),
      () => send('POST', `${V2}/posts`, { title: 'P', status: 'publish', categories: [theme], tags: [word] }),
    ]
  },
  async 'terms below a term that is deleted'({ send, category }) {
    const above = await category()
    const other = await category()
    return [
      () => send('POST', `${V2}/categories`, { name: `New ${above}`, parent: above }),
      () => send('PUT', `${V2}/categories/${other}`, { parent: above }),
      () => send('DELETE', `${V2}/categories/${above}?force=true`),
    ]
  },
  async 'pages and categories below each other'({ send, page, category }) {
    const [a, b, c, d] = [await page(), await page(), await category(), await category()]
    return [
      () => send('PUT', `${V2}/pages/${a}`, { parent: b }),
      () => send('PUT', `${V2}/pages/${b}`, { parent: a }),
      () => send('PUT', `${V2}/categories/${c}`, { parent: d }),
      () => send('PUT', `${V2}/categories/${d}`, { parent: c }),
    ]
  },
  async 'pages below a page that is deleted'({ send, page }) {
    const above = await page()
    const other = await page()
    return [
      () => send('POST', `${V2}/pages`, { title: 'Below', status: 'publish', parent: above }),
      () => send('PUT', `${V2}/pages/${other}`, { parent: above }),
      () => send('DELETE', `${V2}/pages/${above}?force=true`),
    ]
  },
  async 'pages with the same slug that move up'({ send, page }) {
    const above = await page()
    const slug = `same-${above}`
    await page({ parent_id: above, slug })
    return [
      () => send('POST', `${V2}/pages`, { title: 'Same', slug, status: 'publish' }),
      () => send('DELETE', `${V2}/pages/${above}?force=true`),
      () => send('POST', `${V2}/pages`, { title: 'Same', slug, status: 'publish' }),
    ]
  },
  async 'a featured image that is deleted'({ send, post, file }) {
    const [id, image] = [await post(), await file()]
    return [
      () => send('PUT', `${V2}/posts/${id}`, { featured_media: image }),
      () => send('DELETE', `${V2}/media/${image}?force=true`),
      () => send('POST', `${V2}/posts`, { title: 'P', featured_media: image }),
    ]
  },
  async 'a file that is attached to a post that is deleted'({ send, post, file }) {
    const [id, image] = [await post(), await file()]
    return [
      () => send('PUT', `${V2}/media/${image}`, { post: id }),
      () => send('DELETE', `${V2}/posts/${id}?force=true`),
    ]
  },
  async 'versions of a post that is deleted'({ send, post }) {
    const id = await post()
    return [
      () => send('POST', `${V2}/posts/${id}/autosaves`, { content: 'saved' }),
      () => send('PUT', `${V2}/posts/${id}`, { content: 'changed' }),
      () => send('DELETE', `${V2}/posts/${id}?force=true`),
      () => send('POST', `${V2}/posts/${id}/autosaves`, { content: 'saved again' }),
    ]
  },
  async 'autosaves of one user'({ send, post }) {
    const id = await post()
    const save = (content: string) => () => send('POST', `${V2}/posts/${id}/autosaves`, { content })
    return [save('one'), save('two'), () => send('PUT', `${V2}/posts/${id}`, { content: 'two' }), save('three')]
  },
  async 'a sticky post that is deleted'({ send, post }) {
    const [id, other] = [await post(), await post()]
    return [
      () => send('PUT', `${V2}/posts/${id}`, { sticky: true }),
      () => send('DELETE', `${V2}/posts/${id}?force=true`),
      () => send('PUT', `${V2}/posts/${other}`, { sticky: true }),
      () => send('DELETE', `${V2}/posts/${other}`),
    ]
  },
  async 'the front page that is deleted'({ send, page }) {
    const [front, list] = [await page(), await page()]
    return [
      () => send('PUT', `${V2}/settings`, { show_on_front: 'page', page_on_front: front, page_for_posts: list }),
      () => send('DELETE', `${V2}/pages/${front}?force=true`),
      () => send('DELETE', `${V2}/pages/${list}`),
    ]
  },
  async 'the default category that is deleted'({ send, category }) {
    const [one, other] = [await category(), await category()]
    return [
      () => send('PUT', `${V2}/settings`, { default_category: one }),
      () => send('DELETE', `${V2}/categories/${one}?force=true`),
      () => send('PUT', `${V2}/settings`, { default_category: other }),
      () => send('POST', `${V2}/posts`, { title: 'P', status: 'publish' }),
    ]
  },
  async 'the site icon and logo that are deleted'({ send, file }) {
    const [icon, logo] = [await file(), await file()]
    return [
      () => send('PUT', `${V2}/settings`, { site_icon: icon, site_logo: logo }),
      () => send('DELETE', `${V2}/media/${icon}?force=true`),
      () => send('DELETE', `${V2}/media/${logo}?force=true`),
    ]
  },
  async 'content by a user who is deleted'({ site, send, newUser, post }) {
    const { id, login } = await newUser()
    const about = await post()
    return [
      () => send('POST', `${V2}/posts`, { title: 'Mine', status: 'publish' }, login),
      () => send('DELETE', `${V2}/users/${id}?force=true&reassign=${site.users.admin}`),
      () => send('POST', `${V2}/comments`, { post: about, content: `by ${login}` }, login),
    ]
  },
  async 'content that is assigned to a user who is deleted'({ site, send, newUser, post, comment }) {
    const { id } = await newUser()
    const assignedPost = await post()
    const assignedComment = await comment(assignedPost)
    return [
      () => send('PUT', `${V2}/posts/${assignedPost}`, { author: id }),
      () => send('PUT', `${V2}/comments/${assignedComment}`, { author: id }),
      () => send('DELETE', `${V2}/users/${id}?force=true&reassign=${site.users.ed}`),
      () => send('POST', `${V2}/posts`, { title: 'Theirs', status: 'publish', author: id }),
    ]
  },
  async 'users who inherit posts and are deleted'({ site, send, newUser, post }) {
    const [one, other] = [await newUser(), await newUser()]
    await post({ author_id: one.id })
    return [
      () => send('DELETE', `${V2}/users/${one.id}?force=true&reassign=${other.id}`),
      () => send('DELETE', `${V2}/users/${other.id}?force=true&reassign=${site.users.ed}`),
    ]
  },
  async 'credentials of a user who is deleted'({ site, send, newUser }) {
    const { id } = await newUser()
    const { sessions } = site.kernel.services
    return [
      () => send('POST', `${V2}/users/${id}/application-passwords`, { name: 'another' }),
      () => sessions.create(id, { ip: '::1', agent: '' }).catch((error: { code?: string }) => refusedOf(error)),
      () => send('PUT', `${V2}/users/${id}`, { first_name: 'New' }),
      () => send('DELETE', `${V2}/users/${id}?force=true&reassign=${site.users.ed}`),
      () => send('DELETE', `${V2}/users/${id}/application-passwords`),
    ]
  },
  async 'users with the same login or email address'({ send }) {
    const login = `twin${(nameCount += 1)}`
    const join = (username: string, email: string) => () =>
      send('POST', `${V2}/users`, { username, email, password: 'a pass phrase', roles: ['subscriber'] })
    return [
      join(login, `${login}@mail.example`),
      join(login, `${login}-2@mail.example`),
      join(`${login}b`, `${login}@mail.example`),
    ]
  },
  async 'posts, pages and tags with the same slug'({ send, post }) {
    const id = await post()
    const slug = `slug-${id}`
    return [
      () => send('PUT', `${V2}/posts/${id}`, { slug }),
      () => send('POST', `${V2}/posts`, { title: 'S', slug, status: 'publish' }),
      () => send('POST', `${V2}/posts`, { title: 'S', slug, status: 'publish' }),
      () => send('POST', `${V2}/pages`, { title: 'S', slug, status: 'publish' }),
      () => send('POST', `${V2}/tags`, { name: slug }),
      () => send('POST', `${V2}/tags`, { name: slug }),
    ]
  },
  async 'a post that is published, moved to the trash and deleted'({ send, post, category }) {
    const [id, theme] = [await post({ status: 'draft' }), await category()]
    return [
      () => send('PUT', `${V2}/posts/${id}`, { status: 'publish', categories: [theme] }),
      () => send('DELETE', `${V2}/posts/${id}`),
      () => send('PUT', `${V2}/posts/${id}`, { status: 'draft', date: '2020-01-01T00:00:00' }),
      () => send('DELETE', `${V2}/posts/${id}?force=true`),
    ]
  },
}

/** Ignores rejections of services that are called without the server. */
function refusedOf(error: { code?: string }): Answer {
  return { status: /^rest_|^[a-z_]+$/.test(error.code ?? '') ? 404 : 500, body: error }
}

/** Runs writes concurrently in random order, and returns those that caused a server error. */
async function runAtOnce(acts: readonly Act[], order: readonly number[]): Promise<string[]> {
  const answers = await Promise.all(order.map((place) => acts[place % acts.length]!() as Promise<Answer>))
  return answers.filter(({ status }) => status >= 500).map(({ status, body }) => `${status} ${JSON.stringify(body)}`)
}

function shuffled(length: number): number[] {
  const order = Array.from({ length }, (_, place) => place)
  return order
    .map((place) => [Math.random(), place] as const)
    .sort(([a], [b]) => a - b)
    .map(([, place]) => place)
}

for (const { name, place } of databases) {
  const races = suite(`concurrent writes on ${name}`)
  // One site for all races, so that each starts with the results of the previous ones.
  let scene: Scene
  races.before(async () => {
    scene = await sceneOf(await serveWithUsers(place))
  })
  races.after(async () => {
    await scene.site[Symbol.asyncDispose]()
  })

  for (const [title, prepare] of Object.entries(RACES)) {
    races(`S38: leave consistent data: ${title}`, async () => {
      let broken = 0
      const seen = new Set<string>()
      for (let round = 1; round <= ROUNDS; round += 1) {
        const acts = await prepare(scene)
        const found = await runAtOnce(acts, shuffled(acts.length))
        const isChecked = round % ROUNDS_PER_CHECK === 0 || round === ROUNDS || found.length > 0
        if (isChecked) found.push(...(await brokenInvariants(scene.site.store)))
        for (const one of found) seen.add(one.slice(0, 200))
        if (found.length > 0) broken += 1
      }
      if (ROUNDS > ROUNDS_PER_CHECK) console.log(`${name}: ${title}: ${broken} failed checks in ${ROUNDS} rounds`)
      assert.equal([...seen], [])
    })
  }

  races('S38: leave consistent data in any combination', async () => {
    const someOf = fc.uniqueArray(fc.constantFrom(...Object.keys(RACES)), { minLength: 2, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(someOf, fc.infiniteStream(fc.nat()), async (chosen, numbers) => {
        const acts = (await Promise.all(chosen.map((one) => RACES[one]!(scene)))).flat()
        const order = acts.map((_, place) => [numbers.next().value as number, place] as const)
        const failed = await runAtOnce(
          acts,
          order.sort(([a], [b]) => a - b).map(([, place]) => place),
        )
        assert.equal([...failed, ...(await brokenInvariants(scene.site.store))], [])
      }),
      // Inconsistencies remain in the database, so shrinking a case is impossible.
      { numRuns: ROUNDS * 2, endOnFailure: true },
    )
  })

  races.run()
}
