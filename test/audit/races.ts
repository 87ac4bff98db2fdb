import { type Api, type JsonAnswer, createApi } from './api.ts'
import { brokenDatabase, withStore } from './inspect.ts'
import { addUsers, type SiteUsers } from './users.ts'
import type { Line, Report } from './report.ts'
import { makeSite, startServer } from './server.ts'
import { upload } from './uploading.ts'

/** Number of rounds of each race, and database. */
export interface RaceOptions {
  rounds: number
  /** A PostgreSQL server, else SQLite. */
  server?: string | undefined
}

/** Two servers, or the same server twice. */
interface Context {
  here: Api
  there: Api
  users: SiteUsers
}

/** Concurrent writes: the requests are sent at the same time, alternately to both servers. */
interface Race {
  title: string
  /** Creates the objects, and returns the requests. */
  prepare: (context: Context) => Promise<(() => Promise<JsonAnswer>)[]>
}

const V2 = '/svc/v2'
let serial = 0
const newText = (kind: string) => `${kind} ${(serial += 1)}`
const idOf = async (response: Promise<JsonAnswer>): Promise<number> => {
  const { body, status, text } = await response
  if (typeof body.id !== 'number')
    throw new Error(`Cannot create the objects of a race: ${status} ${text.slice(0, 200)}`)
  return body.id as number
}
const post = (api: Api, more: object = {}) =>
  idOf(api('POST', `${V2}/posts`, { title: newText('Post'), status: 'publish', ...more }))
const term = (api: Api, more: object = {}) => idOf(api('POST', `${V2}/categories`, { name: newText('Term'), ...more }))
const user = (api: Api) => {
  const login = newText('user').replace(' ', '')
  const body = { username: login, email: `${login}@mail.example`, password: 'pass phrase', roles: ['author'] }
  return idOf(api('POST', `${V2}/users`, body))
}
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** Permanently deletes the object of a path. */
const remove =
  (api: Api, path: string, more = '') =>
  () =>
    api('DELETE', `${V2}${path}?force=true${more}`)
const save = (api: Api, path: string, body: object) => () => api('POST', `${V2}${path}`, body)

const RACES: readonly Race[] = [
  {
    title: 'a post is deleted while it is commented on',
    prepare: async ({ here, there }) => {
      const id = await post(here)
      const comments = times(5, (index) => save(there, '/comments', { post: id, content: `${newText('c')} ${index}` }))
      return [...comments.slice(0, 2), remove(here, `/posts/${id}`), ...comments.slice(2)]
    },
  },
  {
    title: 'a post is deleted while it is saved, with its terms and its picture',
    prepare: async ({ here, there }) => {
      const [id, tag, picture] = [await post(here), await term(here), await upload(here)]
      const saves = times(3, () =>
        save(there, `/posts/${id}`, { title: newText('t'), categories: [tag], featured_media: picture, sticky: true }),
      )
      return [...saves, remove(here, `/posts/${id}`), remove(there, `/posts/${id}`)]
    },
  },
  {
    title: 'a post is deleted while revisions and autosaves are made',
    prepare: async ({ here, there }) => {
      const id = await post(here)
      const saves = times(3, () =>
        save(there, `/posts/${id}/autosaves`, { title: newText('a'), content: newText('b') }),
      )
      return [...saves, save(here, `/posts/${id}`, { content: newText('c') }), remove(here, `/posts/${id}`)]
    },
  },
  {
    title: 'a term is deleted while it is given to posts and to terms',
    prepare: async ({ here, there }) => {
      const [id, one, two] = [await term(here), await post(here), await post(here)]
      const assignments = [one, two].map((of) => save(there, `/posts/${of}`, { categories: [id] }))
      return [
        ...assignments,
        remove(here, `/categories/${id}`),
        save(there, '/categories', { name: newText('T'), parent: id }),
      ]
    },
  },
  {
    title: 'terms are put below one another',
    prepare: async ({ here, there }) => {
      const [one, two] = [await term(here), await term(here)]
      return [save(here, `/categories/${one}`, { parent: two }), save(there, `/categories/${two}`, { parent: one })]
    },
  },
  {
    title: 'pages are put below one another',
    prepare: async ({ here, there }) => {
      const page = () => idOf(here('POST', `${V2}/pages`, { title: newText('Page'), status: 'publish' }))
      const [one, two] = [await page(), await page()]
      return [save(here, `/pages/${one}`, { parent: two }), save(there, `/pages/${two}`, { parent: one })]
    },
  },
  {
    title: 'a picture is deleted while posts take it as theirs',
    prepare: async ({ here, there }) => {
      const [id, one] = [await upload(here), await post(here)]
      const updates = times(3, () => save(there, `/posts/${one}`, { featured_media: id }))
      return [...updates, remove(here, `/media/${id}`), save(there, `/media/${id}`, { alt_text: newText('alt') })]
    },
  },
  {
    title: 'a user is deleted while posts are given to them',
    prepare: async ({ here, there, users }) => {
      const [id, one] = [await user(here), await post(here)]
      const assignments = times(3, () => save(there, `/posts/${one}`, { author: id }))
      return [...assignments, remove(here, `/users/${id}`, `&reassign=${users.ids.editor}`)]
    },
  },
  {
    title: 'a comment is deleted while it is answered, approved and held',
    prepare: async ({ here, there }) => {
      const on = await post(here)
      const id = await idOf(here('POST', `${V2}/comments`, { post: on, content: newText('c') }))
      return [
        save(there, '/comments', { post: on, parent: id, content: newText('answer') }),
        save(there, `/comments/${id}`, { status: 'hold' }),
        save(here, `/comments/${id}`, { status: 'approved' }),
        remove(here, `/comments/${id}`),
      ]
    },
  },
  {
    title: 'a post goes to the trash, comes back, is published and is deleted',
    prepare: async ({ here, there }) => {
      const id = await post(here, { categories: [await term(here)] })
      return [
        () => here('DELETE', `${V2}/posts/${id}`),
        save(there, `/posts/${id}`, { status: 'publish' }),
        save(here, `/posts/${id}`, { status: 'draft' }),
        remove(there, `/posts/${id}`),
      ]
    },
  },
  {
    title: 'posts are made with one title at once',
    prepare: async ({ here, there }) => {
      const title = newText('Same')
      return times(10, (index) => save(index % 2 ? here : there, '/posts', { title, status: 'publish' }))
    },
  },
  {
    title: 'posts become sticky, and lose that, at once',
    prepare: async ({ here, there }) => {
      const ids = await Promise.all(times(4, () => post(here)))
      return ids.map((id, index) => save(index % 2 ? here : there, `/posts/${id}`, { sticky: true }))
    },
  },
  {
    title: 'one user saves one draft twice',
    prepare: async ({ here, there }) => {
      const id = await post(here)
      return times(4, (index) => save(index % 2 ? here : there, `/posts/${id}/autosaves`, { content: newText('x') }))
    },
  },
]

/** Runs races of writes against one server, and checks the whole database after each. */
export async function races(report: Report, { rounds, server: postgres }: RaceOptions): Promise<void> {
  await using site = await makeSite({ server: postgres })
  const users = await addUsers(site)
  await using server = await startServer(site)
  using api = createApi(server, users)
  const line = report.line('races', `${RACES.length} kinds of colliding writes, ${postgres ? 'PostgreSQL' : 'SQLite'}`)
  await runRaces({ here: api, there: api, users }, rounds, line, () => withStore(site, brokenDatabase))
}

/** Runs each race `rounds` times. */
export async function runRaces(
  context: Context,
  rounds: number,
  line: Line,
  inspect: () => Promise<string[]>,
): Promise<void> {
  const reported = new Set<string>()
  for (const { title, prepare } of RACES) {
    for (let round = 0; round < rounds; round += 1) {
      const requests = await prepare(context)
      const answers = await Promise.all(requests.map((send) => send()))
      line.times += 1
      for (const { status, text, failure } of answers) {
        if (status === 0 || status === 500) line.broken.push(`${title}: ${failure ?? text.slice(0, 200)}`)
      }
    }
    for (const broken of await inspect()) {
      if (reported.has(broken)) continue
      reported.add(broken)
      line.broken.push(`${title}: ${broken}`)
    }
  }
}
