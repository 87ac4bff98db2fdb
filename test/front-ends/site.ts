import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../checks/free-port.ts'
import { run } from '../helpers/svc-serve.ts'

const SVC = resolve(import.meta.dirname, '../../bin/svc')

/** The properties of REST objects that these tests read. */
export interface Item {
  id: number
  slug: string
  link: string
  token: string
}

/** A site that notifies a front end of its changes. */
export interface NotifyingSite extends AsyncDisposable {
  /** Root of its REST API. */
  readonly api: string
  readonly secret: string
  /** Returns a list as visitors get it. */
  list(path: string): Promise<Item[]>
  /** Sends JSON or a file as the administrator. @throws Error with the response if it fails */
  send(method: string, path: string, body?: object | Buffer): Promise<Item>
}

/** Starts `svc-serve` as the guide on front ends says, for a front end on this port. */
export async function startSite(frontEndPort: number): Promise<NotifyingSite> {
  const port = await freePort()
  const place = `127.0.0.1:${frontEndPort}`
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const preview = `http://${place}/preview?token={token}&id={id}&rest_base={rest_base}`
  const config = {
    port,
    plugins: {
      'response-cache': { tags_header: 'Cache-Tag' },
      webhooks: { endpoints: { front: { url: `http://${place}/api/webhook`, secret } }, allow: [place] },
      menus: { public: ['primary'] },
      previews: { front_ends: { main: preview } },
    },
  }
  const running = await run([], { 'svc.config.json': JSON.stringify(config) })
  try {
    const api = `${await running.home()}/svc-json`
    const authorization = await credentials(running.folder)
    const send: NotifyingSite['send'] = async (method, path, body = {}) => {
      const type = Buffer.isBuffer(body)
        ? { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="lighthouse.png"' }
        : { 'content-type': 'application/json' }
      const sent = Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body)
      const init: RequestInit = { method, headers: { authorization, ...type }, body: sent }
      const answer = await fetch(api + path, init)
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return JSON.parse(text) as Item
    }
    const list: NotifyingSite['list'] = async (path) => (await fetch(api + path)).json() as Promise<Item[]>
    return { api, secret, list, send, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() }
  } catch (error) {
    await running[Symbol.asyncDispose]()
    throw error
  }
}

/** Returns the authorization header of the administrator, with an application password. */
async function credentials(folder: string): Promise<string> {
  const args = [SVC, 'user', 'app-password', 'create', 'admin', 'front ends']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder })
  const [password] = /\b(?:\w{4} ){5}\w{4}\b/.exec(stdout) ?? []
  if (password === undefined) throw new Error(`svc shows no application password: ${stdout}`)
  return `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
}
