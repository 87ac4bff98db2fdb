import { PIXEL } from './uploading.ts'
import { createClient, type Client } from './client.ts'
import type { Ledger, ObjectKind } from './ledger.ts'
import type { SiteUsers, Sender } from './users.ts'
import type { Random } from './random.ts'

/** The state of a writer. */
interface Context {
  client: Client
  users: SiteUsers
  ledger: Ledger
  random: Random
  /** IDs of objects that this writer has created and not deleted. */
  own: Record<ObjectKind, number[]>
}

type Json = { id: number; responses: { status: number; body: { id: number } }[] }

let serial = 0

/** Returns a unique text. */
const newText = (label: string) => `${label} ${(serial += 1)}`

/**
 * Writes as fast as one client can until the server is gone. Records acknowledged writes in the ledger.
 * @returns unexpected rejections
 */
export async function write(
  port: number,
  users: SiteUsers,
  ledger: Ledger,
  random: Random,
  over: () => boolean,
): Promise<string[]> {
  using client = createClient(port, 1, 30_000)
  const context: Context = {
    client,
    users,
    ledger,
    random,
    own: { post: [], comment: [], term: [], user: [], media: [] },
  }
  const refused: string[] = []
  while (!over()) {
    const failure = await random.pick(ACTS)(context)
    if (failure === null) continue
    if (failure === NO_RESPONSE) break
    refused.push(failure)
  }
  return refused
}

const NO_RESPONSE = 'gone'

/** Sends JSON. Returns the body, or the reason why there is none. */
async function send(
  { client, users }: Context,
  method: string,
  path: string,
  body: unknown,
  sender: Sender = 'administrator',
): Promise<Json | string> {
  const headers = { ...users.by(sender), 'content-type': 'application/json' }
  const answer = await client.send({
    method,
    path: `/svc-json${path}`,
    headers,
    body: Buffer.from(JSON.stringify(body)),
  })
  if (answer.status === 0) return NO_RESPONSE
  // A temporary rejection acknowledges nothing.
  if (answer.status === 503 || answer.status === 507)
    return JSON.stringify(answer.headers['retry-after'] ?? 'no Retry-After')
  if (answer.status >= 300) return `${answer.status} for ${method} ${path}: ${answer.text.slice(0, 200)}`
  return JSON.parse(answer.text) as Json
}

/** Returns null for success. A failure of only digits is the value of a Retry-After header. */
const outcome = (failure: string): string | null => (/^"?\d+"?$/.test(failure) ? null : failure)

async function make(
  context: Context,
  kind: ObjectKind,
  path: string,
  text: string,
  body: object,
): Promise<string | null> {
  const created = await send(context, 'POST', path, body)
  if (typeof created === 'string') return outcome(created)
  context.ledger.created(kind, created.id, text, 'post' in body ? (body.post as number) : undefined)
  context.own[kind].push(created.id)
  return null
}

async function change(context: Context, kind: ObjectKind, path: string, id: number, text: string, body: object) {
  const acknowledge = context.ledger.changing(kind, id, text)
  const changed = await send(context, 'POST', `${path}/${id}`, body)
  if (typeof changed === 'string') return outcome(changed)
  acknowledge()
  return null
}

async function remove(context: Context, kind: ObjectKind, path: string, query = ''): Promise<string | null> {
  const id = context.own[kind].shift()
  if (id === undefined || context.ledger.mayBeDeleted(kind, id)) return null
  const acknowledge = context.ledger.deleting(kind, id)
  const removed = await send(context, 'DELETE', `${path}/${id}?force=true${query}`, {})
  if (typeof removed === 'string') return outcome(removed)
  acknowledge()
  return null
}

const V2 = '/svc/v2'

/** Creates a complete post: title, terms, featured image and its own date. */
async function makePost(context: Context): Promise<string | null> {
  const title = newText('Post')
  const { term, media } = context.own
  const body = { title, status: 'publish', content: title, tags: term.slice(-3), featured_media: media.at(-1) ?? 0 }
  return make(context, 'post', `${V2}/posts`, title, body)
}

async function upload({ client, users, ledger, own }: Context): Promise<string | null> {
  const name = newText('picture').replace(' ', '-')
  const headers = {
    ...users.by('administrator'),
    'content-type': 'image/png',
    'content-disposition': `attachment; filename="${name}.png"`,
  }
  const answer = await client.send({ method: 'POST', path: `/svc-json${V2}/media`, headers, body: PIXEL })
  if (answer.status === 0) return NO_RESPONSE
  if (answer.status === 503 || answer.status === 507) return null
  if (answer.status !== 201) return `${answer.status} for an upload: ${answer.text.slice(0, 200)}`
  const { id } = JSON.parse(answer.text) as Json
  ledger.created('media', id, name)
  own.media.push(id)
  return null
}

async function batch(context: Context): Promise<string | null> {
  const titles = [newText('Batch'), newText('Batch'), newText('Batch')]
  const requests = titles.map((title) => ({ method: 'POST', path: `${V2}/posts`, body: { title, status: 'publish' } }))
  const answer = await send(context, 'POST', '/batch/v1', { requests })
  if (typeof answer === 'string') return outcome(answer)
  for (const [index, { status, body }] of answer.responses.entries()) {
    if (status === 201) context.ledger.created('post', body.id, titles[index]!)
  }
  return null
}

/** The actions of writers. Repeated entries are more frequent. */
const ACTS: readonly ((context: Context) => Promise<string | null>)[] = [
  makePost,
  makePost,
  makePost,
  async (context) => {
    const id = context.own.post.at(-1)
    if (id === undefined) return null
    const title = newText('Changed')
    return change(context, 'post', `${V2}/posts`, id, title, { title, meta: {}, sticky: context.random.chance(0.3) })
  },
  async (context) => {
    const post = context.own.post.at(-1)
    if (post === undefined) return null
    const content = newText('Comment')
    return make(context, 'comment', `${V2}/comments`, content, { post, content })
  },
  async (context) => {
    const name = newText('Term')
    return make(context, 'term', `${V2}/tags`, name, { name })
  },
  async (context) => {
    const name = newText('User')
    const username = `${name.toLowerCase().replace(' ', '')}`
    const body = { username, name, email: `${username}@mail.example`, password: 'pass phrase of it', roles: ['author'] }
    return make(context, 'user', `${V2}/users`, name, body)
  },
  upload,
  upload,
  batch,
  (context) => remove(context, 'post', `${V2}/posts`),
  (context) => remove(context, 'comment', `${V2}/comments`),
  (context) => remove(context, 'term', `${V2}/tags`),
  (context) => remove(context, 'user', `${V2}/users`, `&reassign=${context.users.ids.editor}`),
  (context) => remove(context, 'media', `${V2}/media`),
]
