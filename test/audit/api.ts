import { createClient, type Answer } from './client.ts'
import type { SiteUsers, Who } from './users.ts'
import type { AuditServer } from './server.ts'

/** An answer with its body as an object; an empty one where it is none. */
export interface Told extends Answer {
  // oxlint-disable-next-line typescript/no-explicit-any -- trials say what they expect by looking at it
  body: any
}

/** Requests with JSON to one server by somebody. */
export interface Api extends Disposable {
  (method: string, path: string, body?: unknown, who?: Who): Promise<Told>
  /** An upload of a picture by an administrator. */
  upload(name: string, bytes: Buffer): Promise<Told>
}

/** @param connections how many requests go out at a time */
export function createApi({ port }: AuditServer, users: SiteUsers, connections = 16, patience = 40_000): Api {
  const client = createClient(port, connections, patience)
  const tell = (answer: Answer): Told => {
    try {
      return { ...answer, body: JSON.parse(answer.text) }
    } catch {
      return { ...answer, body: {} }
    }
  }
  const api = async (method: string, path: string, body?: unknown, who: Who = 'administrator'): Promise<Told> => {
    const headers = { ...users.by(who), 'content-type': 'application/json' }
    const bytes = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }
    return tell(await client.send({ method, path: `/svc-json${path}`, headers, ...bytes }))
  }
  const upload = async (name: string, body: Buffer): Promise<Told> => {
    const about = { 'content-type': 'image/png', 'content-disposition': `attachment; filename="${name}"` }
    const headers = { ...users.by('administrator'), ...about }
    return tell(await client.send({ method: 'POST', path: '/svc-json/svc/v2/media', headers, body }))
  }
  return Object.assign(api, { upload, [Symbol.dispose]: () => client[Symbol.dispose]() })
}
