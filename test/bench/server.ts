/**
 * A server under load in a separate process: `server.ts bare|fastify|cold|warm|cached|plugins [DATABASE]`. Sends its URL once it
 * listens, and responds to messages of type `Question`. With the argument `meta` after the database, lists can be filtered by
 * meta keys.
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

/** A message of the bench to a server. Each is answered with a number. */
export type Question =
  /** Sets the response of the bare server for a path. */
  | { path: string; answer: RecordedAnswer }
  /** Requests the processor time of the process in microseconds. */
  | 'cpu'
  /** Requests the number of statements since the last such message. The first message starts the count. */
  | 'statements'
  /** Stops counting. */
  | 'uncounted'

/** A response that the bare server repeats. */
export interface RecordedAnswer {
  /** Names and values in turn, without the headers that Node adds. */
  head: string[]
  body: string
}

/** A route of the site with a constant response. */
export const CONSTANT_ROUTE = '/bench/v1/constant'
/** The constant response. */
const CONSTANT = { id: 1, name: 'A constant', tags: ['one', 'two', 'three'], link: 'https://example.com/constant' }

interface Running {
  url: string
  /** Starts counting statements. Returns functions that read and stop the count. */
  count?: () => { read(): number; end(): void }
  /** Stores a response to send. */
  record?: (path: string, answer: RecordedAnswer) => void
}

/** A server that only sends recorded responses. */
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
      // The fastest forms in Node: short text together with the head, long text as bytes.
      answers.set(path, { head, body: body.length < 4096 ? body : Buffer.from(body) })
    },
  }
}

/** A Fastify server that sends a constant, with its own headers and with those of the site. */
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

/** A plugin with a route with a constant response. */
export const constant = definePlugin({
  name: 'bench-constant',
  apply({ hooks }) {
    hooks.rest_api_init.tap('bench-constant', (server) => {
      server.registerRoute('bench/v1', 'constant', { callback: () => CONSTANT, permission_callback: () => true })
    })
  },
})

/** Meta keys for lists: each post has a price and one of twenty colors, each thousandth post has a rank. */
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

/** Third-party plugins: a tap without cache dependencies, and a shortcode that disables the cache. */
const others = definePlugin({
  name: 'bench-others',
  needs: ['shortcodes', 'posts'],
  apply({ hooks, services }) {
    hooks.rest_prepare.for('post').tap('bench-others', (response) => response)
    services.shortcodes.register('dice', () => String(Math.random()), { cache: false })
  },
})

/** What a site caches: nothing, items, responses, or responses with third-party plugins. */
export type Mode = 'cold' | 'warm' | 'cached' | 'plugins'

/** The options of the cache plugin. */
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
      // All options are read together once per second, by any request.
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
  // A normal exit, so that Node writes the profile.
  process.on('disconnect', () => process.exit())
  process.send(running.url)
}
