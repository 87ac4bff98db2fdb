import { createClient, type Answer } from './client.ts'
import type { SiteUsers, Sender } from './users.ts'
import type { AuditServer } from './server.ts'

/** A response with its JSON body; an empty object if the body is not JSON. */
export interface JsonAnswer extends Answer {
  // oxlint-disable-next-line typescript/no-explicit-any -- trials say what they expect by looking at it
  body: any
}

/** Sends JSON requests to one server as a given user. */
export interface Api extends Disposable {
  (method: string, path: string, body?: unknown, sender?: Sender): Promise<JsonAnswer>
  /** Uploads an image as an administrator. */
  upload(name: string, bytes: Buffer): Promise<JsonAnswer>
}

/** @param connections maximum number of concurrent requests */
export function createApi({ port }: AuditServer, users: SiteUsers, connections = 16, patience = 40_000): Api {
  const client = createClient(port, connections, patience)
  const parseJson = (answer: Answer): JsonAnswer => {
    try {
      return { ...answer, body: JSON.parse(answer.text) }
    } catch {
      return { ...answer, body: {} }
    }
  }
  const api = async (
    method: string,
    path: string,
    body?: unknown,
    sender: Sender = 'administrator',
  ): Promise<JsonAnswer> => {
    const headers = { ...users.by(sender), 'content-type': 'application/json' }
    const bytes = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }
    return parseJson(await client.send({ method, path: `/svc-json${path}`, headers, ...bytes }))
  }
  const upload = async (name: string, body: Buffer): Promise<JsonAnswer> => {
    const about = { 'content-type': 'image/png', 'content-disposition': `attachment; filename="${name}"` }
    const headers = { ...users.by('administrator'), ...about }
    return parseJson(await client.send({ method: 'POST', path: '/svc-json/svc/v2/media', headers, body }))
  }
  return Object.assign(api, { upload, [Symbol.dispose]: () => client[Symbol.dispose]() })
}
