import type { UrlForm } from './urls.ts'

/** The config of one plugin: its options, false (switched off), or `use` (replaced) with options. */
export type PluginSetting = boolean | ({ use?: string } & Record<string, unknown>)

/**
 * Limits on requests, bodies, connections and responses. Sizes are in bytes, times in milliseconds. Names are camelCase, and
 * those of Fastify's options where it has the option.
 */
export interface Limits {
  /** Bytes of a body, files included. */
  bodyLimit: number
  /** Bytes of the parsed part of a body: JSON, a form, the fields of a form with files. */
  text: number
  /** Bytes of a visitor's body. Beyond `text` it is kept on disk. */
  visitor: number
  /**
   * Bytes of the bodies of all requests of users in progress, in memory and on disk, and of the values parsed from them. One
   * user can use a quarter. The first 64 kB of each connection do not count.
   */
  bodies: number
  /** The same for visitors; one network can use a quarter. */
  visitorBodies: number
  /** Open connections. One network can have a quarter of them. */
  connections: number
  /** Requests of one network that are handled at the same time; more wait. */
  atOnce: number
  /** Characters of one response with long texts. */
  answer: number
  /** Characters that all long responses in progress, and the rows they are rendered from, hold in memory. */
  answers: number
  /** Bytes of all headers. */
  headers: number
  /** Levels of nesting in a JSON body. */
  depth: number
  /** Milliseconds until a request must have arrived, and milliseconds until its handler must have finished. */
  requestTimeout: number
  /** Bytes a second that a client has to send of a body, and to receive of a response, on average over `connectionTimeout`. */
  rate: number
  /** Milliseconds over which `rate` is averaged. The connection of a transfer without progress is closed after them. */
  connectionTimeout: number
}

/** The revisions of the REST API that a site can speak, oldest first. */
export const REVISIONS = [
  '4.4',
  '4.7',
  '4.8',
  '5.0',
  '5.3',
  '5.4',
  '5.9',
  '6.1',
  '6.5',
  '6.9',
  '7.1',
  'latest',
] as const
/** A revision of the REST API (specification 9). */
export type Revision = (typeof REVISIONS)[number]

/**
 * Whether a revision of the REST API has what came with a version of the interface.
 * @param revision of the site; `latest` has everything
 * @param version such as `6.6`, of which there need not be a revision
 */
export function hasSince(revision: Revision, version: string): boolean {
  return revision === 'latest' || orderOf(revision) >= orderOf(version)
}

/** A number that orders versions: 6.10 is after 6.9. */
function orderOf(version: string): number {
  const [major = '', minor = ''] = version.split('.')
  return Number(major) * 1000 + Number(minor)
}

/** The config of a site, every value in place. */
export interface SiteConfig {
  /** Home URL; null derives it from host and port. */
  home: string | null
  host: string
  port: number
  /** How many processes `svc-serve` serves the site with; null leaves it to the machine. */
  workers: number | null
  /** `sqlite:FILE`, `sqlite::memory:` or `postgres://…`; a relative file is below `folder`. */
  database: string
  /** Whether the response to a write is sent once a power cut cannot undo it, or as soon as it is made. */
  durability: 'full' | 'relaxed'
  /** Folder of media files. */
  uploads: string
  /** Whether other accounts of the machine may read the files in it. */
  share_uploads: boolean
  word: string
  relation_uri: string | null
  addresses: UrlForm
  revision: Revision
  /** Which of the default plugins start: `core` for the resources of the specification, `full` for all. */
  preset: 'core' | 'full'
  /** Whether a proxy in front may tell scheme and IP address of the client by `X-Forwarded-*`. */
  trust_proxy: boolean
  debug: boolean
  /** Whether a page of the admin, the log and `Server-Timing` tell what each request runs: hooks, taps, SQL. */
  trace: boolean
  log: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  /** Whether bodies of GET and HEAD requests are read. Caches do not see them, so the responses may not be cached. */
  read_get_bodies: boolean
  limits: Limits
  plugins: Record<string, PluginSetting>
  /** Folder that relative paths are below: that of the config file, else the working directory. */
  folder: string
}

/** A config key that holds a secret: only plugins that declare so are given it. */
export type SecretKey = 'database'
