import { access, readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { START_SECONDS, withinSeconds } from './deadline.ts'
import { errors } from './errors.ts'
import { suggest } from './text/suggest.ts'
import { hideCredentials, hideKept, keepSecret, withSecrets } from './secrets.ts'
import type { AddressForm } from './urls.ts'
import { EXISTING_WORD } from './branding.ts'

/** What a plugin's name stands for in the config: its options, false (switched off), or `use` (replaced) with options. */
export type PluginSetting = boolean | ({ use?: string } & Record<string, unknown>)

/** Bounds on what one request may take. */
export interface Limits {
  /** Bytes of a body, files included. */
  body: number
  /** Bytes of what is parsed of a body: JSON, a form, the fields beside files. */
  text: number
  /** Bytes of a body of somebody who is not logged in. What there is of it beyond `text` lies on disk, the rest in memory. */
  visitor: number
  /**
   * Bytes of all bodies under way of people who are logged in, in memory and on disk, and of what they are parsed to. One
   * user may have a quarter of them. The first 64 kB of each connection do not count.
   */
  bodies: number
  /** The same of others; one network may have a quarter of them. */
  visitor_bodies: number
  /** Connections at once. One network may have a quarter of them. */
  connections: number
  /** Requests of one network that are worked on at once; more wait. */
  at_once: number
  /** Characters of one answer of many long texts. */
  answer: number
  /** Characters that all long answers under way hold in memory, those that they are made of included. */
  answers: number
  /** Bytes of all headers. */
  headers: number
  /** Levels of nesting in a JSON body. */
  depth: number
  /** Milliseconds until a request must have arrived, and milliseconds until its handler must have answered. */
  time: number
  /** Bytes a second that a client has to send of a body, and to take of an answer, on average over `idle`. */
  rate: number
  /** Milliseconds within which so much has to move. */
  idle: number
}

/** The revisions of the interface that a site can speak, oldest first. */
export const REVISIONS = ['4.4', '4.7', '4.8', '5.0', '5.3', '5.4', 'latest'] as const
/** A revision of the interface (specification 9). */
export type Revision = (typeof REVISIONS)[number]

/** The config of a site, every value in place. */
export interface SiteConfig {
  /** Home address; null derives it from host and port. */
  home: string | null
  host: string
  port: number
  /** `sqlite:FILE`, `sqlite::memory:` or `postgres://…`; a relative file is below `folder`. */
  database: string
  /** Whether a write is answered once a power cut cannot undo it, or as soon as it is made. */
  durability: 'full' | 'relaxed'
  /** Folder of media files. */
  uploads: string
  /** Whether other accounts of the machine may read the files in it. */
  share_uploads: boolean
  word: string
  relation_uri: string | null
  addresses: AddressForm
  revision: Revision
  /** Whether a proxy in front may tell scheme and address of the client by `X-Forwarded-*`. */
  trust_proxy: boolean
  debug: boolean
  /** Whether every request tells in the log and in `Server-Timing` which hooks fired and what each tap did. */
  trace: boolean
  log: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  /** Whether bodies of GET and HEAD requests are read. Caches do not see them, so the answers are not kept. */
  read_get_bodies: boolean
  limits: Limits
  plugins: Record<string, PluginSetting>
  /** Folder that relative paths are below: that of the config file, else the working directory. */
  folder: string
}

type Setting = { description: string; default: unknown; variable?: string } & Record<string, unknown>

/** Every config key with its schema, default, sentence and environment variable; docs/reference/config.md is held against it. */
export const configKeys: Readonly<Record<Exclude<keyof SiteConfig, 'folder'>, Setting>> = {
  home: {
    description:
      'Home address of the site, such as https://example.com, without a trailing slash. By default made from host and port.',
    type: ['string', 'null'],
    pattern: '^https?://[^\\s/]+(/[^\\s?#]*)?$',
    default: null,
    variable: 'SVC_HOME',
  },
  host: { description: 'Address to listen on.', type: 'string', default: '127.0.0.1', variable: 'SVC_HOST' },
  port: {
    description: 'Port to listen on; 0 takes a free one.',
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 8080,
    variable: 'SVC_PORT',
  },
  database: {
    description:
      'Where the content is kept: sqlite:FILE, sqlite::memory: or postgres://user@host/name. In the file it may be read from elsewhere: { "env": NAME } or { "file": PATH }.',
    type: 'string',
    secret: true,
    pattern: '^(sqlite:|postgres(ql)?://).+',
    default: 'sqlite:./data/site.db',
    variable: 'SVC_DATABASE',
  },
  durability: {
    description:
      'When a write is answered: full, once a power cut cannot undo it; relaxed, as soon as it is made, so that a power cut may lose the last ones.',
    enum: ['full', 'relaxed'],
    default: 'full',
    variable: 'SVC_DURABILITY',
  },
  uploads: {
    description: 'Folder of media files.',
    type: 'string',
    default: './data/uploads',
    variable: 'SVC_UPLOADS',
  },
  share_uploads: {
    description:
      'Whether other accounts of this machine may read the uploads, as that of a web server which sends the files itself: what is made there gets the permissions 755 and 644, not 700 and 600.',
    type: 'boolean',
    default: false,
    variable: 'SVC_SHARE_UPLOADS',
  },
  word: {
    description: `The word that identifiers of the interface are made with: svc, or ${EXISTING_WORD} for existing clients.`,
    type: 'string',
    // Names of content types begin with the word, and these words begin the names of others.
    pattern: '^(?!(?:custom|link|nav|post|user)$)[a-z][a-z0-9]*$',
    default: 'svc',
    variable: 'SVC_WORD',
  },
  relation_uri: {
    description: 'Address before the names of link relations. By default that of the word.',
    type: ['string', 'null'],
    default: null,
    variable: 'SVC_RELATION_URI',
  },
  addresses: {
    description:
      'How addresses of the interface are written: pretty, index (below /index.php) or plain (?rest_route=).',
    enum: ['pretty', 'index', 'plain'],
    default: 'pretty',
    variable: 'SVC_ADDRESSES',
  },
  revision: {
    description:
      'Revision of the interface that is spoken, for plugins and clients of an older one: docs/guides/revisions.md.',
    enum: REVISIONS,
    default: 'latest',
    variable: 'SVC_REVISION',
  },
  trust_proxy: {
    description: 'Whether X-Forwarded-Proto and X-Forwarded-For of a proxy are believed.',
    type: 'boolean',
    default: false,
    variable: 'SVC_TRUST_PROXY',
  },
  debug: {
    description: 'Tells plugin authors of deprecated uses, in headers and in the log.',
    type: 'boolean',
    default: false,
    variable: 'SVC_DEBUG',
  },
  trace: {
    description:
      'Tells for each request which hooks fired, and what each tap changed, in the log and in Server-Timing.',
    type: 'boolean',
    default: false,
    variable: 'SVC_TRACE',
  },
  log: {
    description: 'Least level of the lines logged.',
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    variable: 'SVC_LOG',
  },
  read_get_bodies: {
    description:
      'Whether bodies of GET and HEAD requests are read, as some old clients send them. Shared caches do not look at them: the answers then forbid to be kept.',
    type: 'boolean',
    default: false,
    variable: 'SVC_READ_GET_BODIES',
  },
  limits: {
    description:
      'Bounds on one request: a whole body with its files (body, and visitor for who is not logged in), text in it (JSON, form fields) and headers in bytes, depth of JSON in levels, time in milliseconds; on all bodies under way at once (bodies, and visitor_bodies for who is not logged in) in bytes, what they are parsed to included, of which one user, or network of visitors, may have a quarter; on connections, of which one network may have a quarter, and on requests of one network that are worked on at once (at_once), while others wait; on the text of one answer (answer), and on what all long ones under way hold in memory (answers), in characters; and on slow clients, who have to move rate bytes a second on average over idle milliseconds.',
    type: 'object',
    additionalProperties: false,
    properties: {
      body: { type: 'integer', minimum: 1024, default: 67_108_864 },
      text: { type: 'integer', minimum: 1024, default: 8_388_608 },
      visitor: { type: 'integer', minimum: 1024, default: 1_000_000 },
      bodies: { type: 'integer', minimum: 1024, default: 536_870_912 },
      visitor_bodies: { type: 'integer', minimum: 1024, default: 67_108_864 },
      connections: { type: 'integer', minimum: 1, default: 10_000 },
      at_once: { type: 'integer', minimum: 1, default: 64 },
      answer: { type: 'integer', minimum: 1_048_576, default: 33_554_432 },
      answers: { type: 'integer', minimum: 1_048_576, default: 268_435_456 },
      headers: { type: 'integer', minimum: 1024, default: 16_384 },
      depth: { type: 'integer', minimum: 1, default: 100 },
      time: { type: 'integer', minimum: 100, default: 30_000 },
      rate: { type: 'integer', minimum: 0, default: 2000 },
      idle: { type: 'integer', minimum: 100, default: 30_000 },
    },
    default: {},
  },
  plugins: {
    description:
      'Options of defaults by name, false to switch one off, { "use": FILE } to replace one, and further plugins by file or package.',
    type: 'object',
    additionalProperties: { anyOf: [{ type: 'boolean' }, { type: 'object' }] },
    default: {},
  },
}

// Schemas are the source's own: to check them too would take as long as all of the checks.
const ajv = new Ajv({ useDefaults: true, allErrors: false, strict: false, meta: false, validateSchema: false })
const checks = new Map<string, ValidateFunction>()

/** The check of a config key, compiled when a value is first given for it. */
function checkOf(key: string): ValidateFunction {
  let check = checks.get(key)
  if (check === undefined) {
    const { description: _, variable: __, ...schema } = configKeys[key as keyof typeof configKeys]
    check = ajv.compile({ type: 'object', properties: { value: schema } })
    checks.set(key, check)
  }
  return check
}

/** Words of a JSON-Schema error that fit behind the name of a config key or an option. */
export function whyInvalid(error: ErrorObject): string {
  const where = error.instancePath.split('/').slice(2).join('.')
  const inside = where === '' ? '' : `has a bad value at ${where}: it `
  if (error.keyword === 'enum')
    return `${inside}must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}`
  if (error.keyword === 'additionalProperties')
    return `${inside}has no entry ${String(error.params['additionalProperty'])}`
  return `${inside}${error.message ?? 'is not valid'}`
}

const NAMES = ['svc.config.json', 'svc.config.js', 'svc.config.ts']

/**
 * Reads the config of a site: the file given, else `svc.config.{json,js,ts}` in the working directory, then `SVC_*`
 * variables, then flags.
 * @param options.flags values of command-line flags by key
 * @throws CONFIG_NOT_FOUND, CONFIG_UNREADABLE, CONFIG_UNKNOWN_KEY, CONFIG_INVALID
 */
export async function loadConfig(
  options: {
    file?: string | undefined
    env?: Readonly<Record<string, string | undefined>>
    flags?: Readonly<Record<string, unknown>>
    folder?: string
  } = {},
): Promise<SiteConfig> {
  const start = options.folder ?? process.cwd()
  const file = options.file === undefined ? await firstThere(start) : resolve(start, options.file)
  const given = file === null ? {} : await readConfig(file)
  const values: Record<string, unknown> = { ...given }
  for (const [key, { variable }] of Object.entries(configKeys)) {
    const text = variable === undefined ? undefined : options.env?.[variable]
    if (text !== undefined && text !== '') values[key] = fromText(key, text)
  }
  for (const [key, value] of Object.entries(options.flags ?? {})) {
    if (value !== undefined) values[key] = typeof value === 'string' ? fromText(key, value) : value
  }
  return completeConfig(values, file === null ? start : dirname(file), options.env)
}

/**
 * Checks config values and puts the defaults in place.
 * @param folder what relative paths are below
 * @param env variables that secrets may be read from
 */
export function completeConfig(
  values: Readonly<Record<string, unknown>>,
  folder: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): SiteConfig {
  const config: Record<string, unknown> = { folder }
  for (const key of Object.keys(values)) {
    if (!Object.hasOwn(configKeys, key)) throw errors.CONFIG_UNKNOWN_KEY(key, suggest(key, Object.keys(configKeys)))
  }
  for (const [key, schema] of Object.entries(configKeys)) {
    const given = values[key] ?? schema.default
    const holder = { value: structuredClone(isSecretKey(key) ? secretOf(key, given, folder, env) : given) }
    // A default is good as it is, but where parts of it have defaults of their own.
    if ((values[key] ?? null) === null && !('properties' in schema)) {
      config[key] = holder.value
      continue
    }
    const check = checkOf(key)
    if (!check(holder)) {
      const [first] = check.errors!
      // A regular expression helps nobody.
      const form = `is not of its form. ${schema.description.replace(/\.$/, '')}`
      throw errors.CONFIG_INVALID(key, first!.keyword === 'pattern' ? form : whyInvalid(first!))
    }
    config[key] = holder.value
  }
  const complete = config as unknown as SiteConfig
  complete.uploads = below(folder, complete.uploads)
  const path = /^sqlite:(?!:memory:)(.+)$/.exec(complete.database)?.[1]
  if (path !== undefined) complete.database = `sqlite:${below(folder, path)}`
  return complete
}

/** Config keys that hold secrets: plugins are given them only where they declare so. */
export const secretKeys = ['database'] as const satisfies readonly (keyof SiteConfig)[]
export type SecretKey = (typeof secretKeys)[number]

const isSecretKey = (key: string): key is SecretKey => (secretKeys as readonly string[]).includes(key)

/** The value of a key that holds a secret, wherever it is. The password in the address of a database is kept secret. */
function secretOf(key: SecretKey, given: unknown, folder: string, env: Readonly<Record<string, string | undefined>>) {
  const source = typeof given === 'object'
  const value = source ? withSecrets(configKeys[key], given, `the config key ${key}`, folder, env) : given
  if (typeof value !== 'string' || !URL.canParse(value)) return value
  const { password, searchParams } = new URL(value)
  for (const secret of [password, searchParams.get('password') ?? '', searchParams.get('sslpassword') ?? '']) {
    keepSecret(secret)
    keepSecret(decoded(secret))
  }
  return value
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A config as plugins see it: with neither the secrets in it nor the options of plugins, which may hold some. */
export function withoutSecretKeys(config: SiteConfig): SiteConfig {
  const plugins = Object.entries(config.plugins).map(([name, setting]) => [name, setting !== false] as const)
  return Object.freeze({
    ...config,
    database: hideCredentials(hideKept(config.database)),
    plugins: Object.freeze(Object.fromEntries(plugins)),
  })
}

const below = (folder: string, path: string) => (isAbsolute(path) ? path : join(folder, path))

function fromText(key: string, text: string): unknown {
  const type = (configKeys as Record<string, Setting>)[key]?.['type']
  if (type === 'integer') return /^\d+$/.test(text) ? Number(text) : text
  if (type === 'boolean')
    return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text
  return text
}

async function firstThere(folder: string): Promise<string | null> {
  for (const name of NAMES) {
    const file = join(folder, name)
    const there = await access(file).then(
      () => true,
      () => false,
    )
    if (there) return file
  }
  return null
}

async function readConfig(file: string): Promise<Record<string, unknown>> {
  let read: unknown
  try {
    if (file.endsWith('.json')) read = parsed(await readFile(file, 'utf8'))
    else {
      const late = () => new Error(`it was not loaded within ${START_SECONDS} seconds`)
      const loaded = import(pathToFileURL(file).href) as Promise<{ default?: unknown }>
      read = (await withinSeconds(loaded, START_SECONDS, late)).default
    }
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ERR_MODULE_NOT_FOUND') throw errors.CONFIG_NOT_FOUND(file, { cause })
    throw errors.CONFIG_UNREADABLE(file, (cause as Error).message, { cause })
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    throw errors.CONFIG_UNREADABLE(file, 'it holds no object of config keys')
  }
  return read as Record<string, unknown>
}

/** The value of JSON text. Its error tells the place alone: what stands there may be a secret. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const message = (error as Error).message
    const [, position] = /at position (\d+)/.exec(message) ?? []
    // Where it tells no position it shows what is around, from ten characters before.
    const [, token = '', cut, context] = /token '(.)', (\.\.\.)?"(.*?)"(?:\.\.\.)? is not/s.exec(message) ?? []
    let at = text.length
    if (position !== undefined) at = Number(position)
    else if (context !== undefined) at = cut === undefined ? text.lastIndexOf(token, 10) : text.indexOf(context) + 10
    const line = text.slice(0, at).split('\n').length
    throw new Error(`it is not valid JSON near line ${line}`)
  }
}
