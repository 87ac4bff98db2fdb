import { completeConfig, createLog, startKernel } from '../../bin/config/index.ts'
import { defaults, presets, revisions } from '../../plugins/index.ts'
import type { AuditSite } from './server.ts'

const ROLES = ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const

/** Senders of requests: a user of each role, a visitor, and a user whose account requests can change and delete. */
export type Sender = (typeof ROLES)[number] | 'visitor' | 'spare'

/** The users of a site and their credentials. */
export interface SiteUsers {
  readonly ids: Readonly<Record<Exclude<Sender, 'visitor'>, number>>
  /** Returns the authentication header of a user; no header for a visitor. */
  by(sender: Sender): Record<string, string>
}

/** Creates the users of a site with application passwords, and some content. The server of the site must not run. */
export async function addUsers(site: AuditSite): Promise<SiteUsers> {
  const config = completeConfig({ ...site.config, log: 'silent' }, site.folder)
  await using kernel = await startKernel({ config, defaults, presets, revisions, log: createLog('silent') })
  const { users, applicationPasswords } = kernel.services
  const ids: Record<string, number> = {}
  const headers: Record<string, string> = {}
  for (const login of [...ROLES, 'spare'] as const) {
    const { id } = await users.create({
      login,
      email: `${login}@mail.example`,
      name: login,
      password: `pass phrase of ${login}`,
      roles: [login === 'spare' ? 'editor' : login],
    })
    const { password } = await applicationPasswords.create(id, { name: 'audit', scopes: ['accounts'] })
    ids[login] = id
    headers[login] = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
  }
  return {
    ids: ids as SiteUsers['ids'],
    by: (sender) => (sender === 'visitor' ? {} : { authorization: headers[sender]! }),
  }
}
