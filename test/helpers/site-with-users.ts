import { as, serveOn, type ServeOptions, type Site } from './site.ts'
import type { UserChange } from '../../plugins/people/users/index.ts'
import { filePlace, kindsOf, postgresPlace, type Place } from './stores.ts'

/** The IDs of the users of a site under test, by login. */
export type UserIds = Readonly<Record<'admin' | 'ed' | 'ann' | 'con' | 'sub' | 'shy', number>>

/** A site with users of every role. `ann` has published a post, `shy` has only drafted one. */
export interface SiteWithUsers extends Site {
  readonly users: UserIds
  /** Returns the headers of a request by a user. */
  by(login: keyof UserIds): Record<string, string>
  /** Sends a request with a JSON body as a user or, without `login`, as a visitor. */
  send(method: string, path: string, body: unknown, login?: keyof UserIds): Promise<Response>
}

const ROLES = {
  admin: 'administrator',
  ed: 'editor',
  ann: 'author',
  con: 'contributor',
  sub: 'subscriber',
  shy: 'author',
} as const satisfies Record<keyof UserIds, string>

/** The databases to run a suite against. */
export const databases: readonly { name: string; place: () => Promise<Place> }[] = kindsOf(
  [{ name: 'SQLite', place: filePlace }],
  (server) => ({ name: 'PostgreSQL', place: () => postgresPlace(server) }),
)

/** Starts a site with its users. */
export async function serveWithUsers(
  makePlace: () => Promise<Place>,
  options: ServeOptions = {},
): Promise<SiteWithUsers> {
  const site = await serveOn(await makePlace(), options)
  const { store } = site
  const users: Record<string, number> = {}
  hashed ??= hashedPasswords(site)
  const passwords = await hashed
  for (const [login, role] of Object.entries(ROLES)) {
    const { id } = await site.kernel.services.users.create({
      ...passwords.get(login)!,
      login,
      email: `${login}@mail.example`,
      name: `${login.toUpperCase()} Writer`,
      slug: `${login}-w`,
      roles: [role],
      first_name: `First-${login}`,
      url: `https://${login}.example`,
    })
    users[login] = id
  }
  const { ann = 0, shy = 0 } = users
  const post = { title: 'Hello', slug: 'hello', date: '2025-01-05 10:00:00', date_gmt: '2025-01-05 10:00:00' }
  await store.run(store.db.insertInto('posts').values({ ...post, status: 'publish', author_id: ann }))
  await store.run(store.db.insertInto('posts').values({ ...post, status: 'draft', author_id: shy }))
  return withUsers(site, users as unknown as UserIds)
}

/** Adds the methods that send requests as users to a site whose database has these users. */
export function withUsers(site: Site, users: UserIds): SiteWithUsers {
  const by = (login: keyof UserIds) => as(ROLES[login], users[login])
  return {
    ...site,
    users,
    by,
    send: (method, path, body, login) =>
      site.request(path, {
        method,
        headers: { 'content-type': 'application/json', ...(login === undefined ? {} : by(login)) },
        ...(method !== 'GET' && { body: JSON.stringify(body) }),
      }),
  }
}

/** The users' passwords, hashed once per process: hashing takes longer than the rest of creating a user. */
let hashed: ReturnType<typeof hashedPasswords> | undefined

async function hashedPasswords({ kernel }: Site) {
  const passwords = new Map<string, UserChange>()
  for (const login of Object.keys(ROLES)) {
    passwords.set(login, await kernel.services.users.secured({ password: `pass phrase of ${login}` }))
  }
  return passwords
}
