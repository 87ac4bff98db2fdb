import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { pino } from 'pino'
import { completeConfig, startKernel, type Kernel } from '../../bin/config/index.ts'
import {
  definePlugin,
  type AnyPlugin,
  type EndpointGroup,
  type PluginContext,
  type PluginDefinition,
} from '../../kernel/index.ts'
import type { PluginSetting } from '../../plugins/library/site-config/index.ts'
import requests from '../../plugins/requests/index.ts'
import { failureOf } from './failure.ts'

/** A parsed line of the log. */
export interface LogLine {
  level: number
  msg: string
  [key: string]: unknown
}

/** A running kernel with only a few plugins, on a free port. */
export interface Bare extends AsyncDisposable {
  readonly kernel: Kernel
  readonly home: string
  /** The lines logged so far. */
  readonly lines: LogLine[]
  /** Sends a request for exactly this target: `raw('/svc-json/a%2fb')`. */
  raw(
    target: string,
    init?: { method?: string; headers?: Record<string, string>; body?: string | Buffer },
  ): Promise<Answer>
}

/** The response to a raw request. */
export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests assert on its parts
  json: any
}

/** Starts a kernel with these plugins and the defaults that read requests: `await using site = await bare([…])`. */
export async function bare(plugins: readonly AnyPlugin[], config: Record<string, unknown> = {}): Promise<Bare> {
  const lines: LogLine[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) })
  const kernel = await startKernel({
    config: completeConfig({ port: 0, ...config }, tmpdir()),
    defaults: [...requests, ...plugins],
    log,
  })
  const listening = await kernel.listen()
  // A home URL from the config can differ from the address of the server.
  const url = config['home'] === undefined ? listening : `http://127.0.0.1:${kernel.port}`
  return {
    kernel,
    home: kernel.urls.home,
    lines,
    raw: (target, init) => sendRequest(url, target, init),
    [Symbol.asyncDispose]: () => kernel.close(),
  }
}

/** Defines a plugin. @param more further keys of the definition */
export function plugin(
  name: string,
  apply: PluginDefinition['apply'] = () => {},
  more: Partial<AnyPlugin> = {},
): AnyPlugin {
  return definePlugin({ name, apply, ...more })
}

/** Defines a plugin that only needs others. */
export const needing = (name: string, ...needs: string[]) => plugin(name, () => {}, { needs })

/** Starts a kernel with these plugins that does not listen. */
export const start = (
  defaults: readonly AnyPlugin[],
  settings: Record<string, PluginSetting> = {},
  folder = tmpdir(),
): Promise<Kernel> => startKernel({ config: completeConfig({ log: 'silent', plugins: settings }, folder), defaults })

/** Returns the error with which the start of these plugins fails. */
export const refusal = (
  defaults: readonly AnyPlugin[],
  settings: Record<string, PluginSetting> = {},
  folder?: string,
) => failureOf(() => start(defaults, settings, folder))

/** Options of an endpoint that every user may call. */
export const open = { permission_callback: () => true }

/** Defines a plugin with a route at `/test/v1/it`. @param tap runs in `apply` */
export const routed = (
  group: EndpointGroup | EndpointGroup[],
  tap: (context: PluginContext) => void = () => {},
): AnyPlugin =>
  plugin('test', (context) => {
    context.hooks.rest_api_init.tap('test', (server) => {
      server.registerRoute('test/v1', 'it', group)
    })
    tap(context)
  })

/** Path of the route of `routed`. */
export const IT = '/svc-json/test/v1/it'

function sendRequest(
  url: string,
  target: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const outgoing = httpRequest({ hostname, port, path: target, method, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        let json: unknown
        try {
          json = JSON.parse(text)
        } catch {
          json = undefined
        }
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json })
      })
      incoming.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
