/**
 * A server under load, in a process of its own: `server.ts bare|fastify|cold|warm|cached|plugins [DATABASE]`. It tells its URL once it
 * listens, and answers the questions of `Question`. A site with `meta` behind the database has keys that lists go by.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { keepHeapSmall } from '../../bin/commands/memory.ts'
import { completeConfig, startKernel } from '../../bin/config/index.ts'
import { definePlugin, type AnyPlugin } from '../../kernel/index.ts'
import { defaults } from '../../plugins/index.ts'

/** What the bench asks a server; each is answered with a number. */
export type Question =
  /** That the bare server answers a path with a head and a body from now on. */
  | { path: string; answer: RecordedAnswer }
  /** Microseconds of processor time that the process has used. */
  | 'cpu'
  /** How many statements were executed since the last time it was asked; the first time begins to count. */
  | 'statements'
  /** Ends the counting. */
  | 'uncounted'

/** An answer to be sent again as it is. */
export interface RecordedAnswer {
  /** Names and values in turn, without those that Node adds itself. */
  head: string[]
  body: string
}

/** The route of the site whose answer is a constant. */
export const CONSTANT_ROUTE = '/bench/v1/constant'
/** Its answer. */
const CONSTANT = { id: 1, name: 'A constant', tags: ['one', 'two', 'three'], link: 'https://example.com/constant' }

interface Running {
  url: string
  /** Begins to count statements; returns how to read and how to end it. */
  count?: () => { read(): number; end(): void }
  /** Takes an answer to be sent. */
  record?: (path: string, answer: RecordedAnswer) => void
}

/** Sends recorded answers, and does nothing else. */
async function bare(): Promise<Running> {
  const answers = new Map<string, { head: string[]; body: string | Buffer }>()
  const server = createServer((request, response) => {
    const { head, body } = answers.get(request.url!)!
    response.writeHead(200, head)
    response.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    record: (path, { head, body }) => {
      // What Node sends fastest: short text in one piece with the head, long text as bytes.
      answers.set(path, { head, body: body.length < 4096 ? body : Buffer.from(body) })
    },
  }
}

/** A constant as Fastify sends it by itself, and with headers as the site has them. */
async function withFastify(): Promise<Running> {
  const app = fastify()
  app.get(CONSTANT_ROUTE, () => CONSTANT)
  let headers: Record<string, string> = {}
  app.get(`${CONSTANT_ROUTE}/headers`, (_request, reply) => {
    void reply.headers(headers)
    return CONSTANT
  })
  return {
    url: await app.listen({ port: 0, host: '127.0.0.1' }),
    record: (_path, { head }) => {
      const pairs = head.flatMap((name, index) => (index % 2 === 0 ? [[name, head[index + 1]!] as const] : []))
      headers = Object.fromEntries(pairs.filter(([name]) => name.toLowerCase() !== 'content-length'))
    },
  }
}

/** A plugin with a route whose answer is a constant. */
export const constant = definePlugin({
  name: 'bench-constant',
  apply({ hooks }) {
    hooks.rest_api_init.tap('bench-constant', (server) => {
      server.registerRoute('bench/v1', 'constant', { callback: () => CONSTANT, permission_callback: () => true })
    })
  },
})

/** Keys that lists go by: of every post a price and a color of twenty, of every thousandth a rank. */
const meta = definePlugin({
  name: 'bench-meta',
  needs: ['meta'],
  apply({ services }) {
    const spec = { single: true, show_in_rest: true, filterable: true, sortable: true } as const
    services.meta.register('post', 'price', { ...spec, type: 'number' })
    services.meta.register('post', 'rank', { ...spec, type: 'integer' })
    services.meta.register('post', 'color', { ...spec, type: 'string' })
  },
})

/** What plugins of others do: a tap that says nothing about caching, and a shortcode that is never cached. */
const others = definePlugin({
  name: 'bench-others',
  needs: ['shortcodes', 'posts'],
  apply({ hooks, services }) {
    hooks.rest_prepare.for('post').tap('bench-others', (response) => response)
    services.shortcodes.register('dice', () => String(Math.random()), { cache: false })
  },
})

/** What a site remembers of its answers: nothing, what items look like, whole answers; these with plugins of others. */
export type Mode = 'cold' | 'warm' | 'cached' | 'plugins'

/** The options of the plugin that remembers. */
export const MEMORIES: Readonly<Record<Mode, Readonly<Record<string, boolean>>>> = {
  cold: { enabled: false, items: false },
  warm: { enabled: false },
  cached: {},
  plugins: {},
}

async function site(mode: Mode, database: string, more: readonly AnyPlugin[]): Promise<Running> {
  keepHeapSmall()
  const plugins = { 'response-cache': MEMORIES[mode] }
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  if (mode === 'plugins') more = [...more, others]
  const config = completeConfig({ database, port: 0, log: 'error', plugins }, folder)
  const kernel = await startKernel({ config, defaults: [...defaults, constant, ...more] })
  await kernel.listen()
  const { store } = kernel.services
  const count = () => {
    let statements = 0
    const end = store.onStatement(({ sql }) => {
      // All options are read at once, once a second, whoever asks.
      if (!/ from "options"/.test(sql)) statements += 1
    })
    const read = () => {
      const counted = statements
      statements = 0
      return counted
    }
    return { read, end }
  }
  return { url: kernel.urls.rest('/').slice(0, -1), count }
}

async function start(kind: string | undefined, database = 'sqlite::memory:', more?: string): Promise<Running> {
  if (kind !== undefined && kind in MEMORIES) return await site(kind as Mode, database, more === 'meta' ? [meta] : [])
  return await (kind === 'fastify' ? withFastify() : bare())
}

if (process.send !== undefined) {
  const running = await start(process.argv[2], process.argv[3], process.argv[4])
  let counting: ReturnType<NonNullable<Running['count']>> | undefined
  const answers: Record<Question & string, () => number> = {
    cpu: () => {
      const { user, system } = process.cpuUsage()
      return user + system
    },
    statements: () => (counting ??= running.count?.())?.read() ?? 0,
    uncounted: () => {
      counting?.end()
      counting = undefined
      return 0
    },
  }
  process.on('message', (question: Question) => {
    if (typeof question === 'string') return process.send!(answers[question]())
    running.record?.(question.path, question.answer)
    return process.send!(0)
  })
  // A regular end, so that a profile is written.
  process.on('disconnect', () => process.exit())
  process.send(running.url)
}
