import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve, type Site } from '../helpers/site.ts'

export const LOGIN = 'admin'
export const PASSWORD = 'a pass phrase'

/** A site with the clients' word, an administrator, and content to read. */
export interface ClientSite extends Site, AsyncDisposable {
  /** An application password of the administrator. */
  readonly applicationPassword: string
}

/** Starts a site with a page and five posts, oldest first: `Post 1` … `Post 5`. */
export async function serveClient(): Promise<ClientSite> {
  const uploads = await mkdtemp(join(tmpdir(), 'client-'))
  const site = await serve({ word: 'wp', uploads, plugins: { login: {} } })
  const { applicationPasswords, users } = site.kernel.services
  const { id } = await users.create({
    login: LOGIN,
    email: 'admin@mail.example',
    name: 'Admin',
    password: PASSWORD,
    roles: ['administrator'],
  })
  const { password } = await applicationPasswords.create(id, { name: 'client', scopes: ['accounts'] })
  const row = (type: string, title: string, day: number) => ({
    type,
    title,
    slug: title.toLowerCase().replace(' ', '-'),
    status: 'publish',
    author_id: id,
    content: `<!-- wp:paragraph -->\n<p>Text of ${title}.</p>\n<!-- /wp:paragraph -->`,
    comment_status: 'open',
    date: `2025-01-0${day} 10:00:00`,
    date_gmt: `2025-01-0${day} 10:00:00`,
    modified: `2025-01-0${day} 10:00:00`,
    modified_gmt: `2025-01-0${day} 10:00:00`,
  })
  const rows = [1, 2, 3, 4, 5].map((day) => row('post', `Post ${day}`, day))
  await site.store.run(site.store.db.insertInto('posts').values([...rows, row('page', 'About us', 6)]))
  await site.kernel.services.options.set('email', 'admin@mail.example')
  return {
    ...site,
    applicationPassword: password,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await rm(uploads, { recursive: true, force: true })
    },
  }
}
