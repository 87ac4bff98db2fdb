import { EXISTING_WORD } from '../../plugins/library/branding/index.ts'
import type { SecretKey, SiteConfig } from '../../kernel/index.ts'
import { REVISIONS } from '../../plugins/library/site-config/index.ts'

/** The schema of a config key. */
export type ConfigKeySchema = {
  description: string
  default: unknown
  variable?: string
  /** Variable that hosting platforms set. It overrides the config file, and `variable` overrides it. */
  platformVariable?: string
} & Record<string, unknown>

/** All config keys with schema, default, description and environment variable. docs/reference/config.md lists them. */
export const configKeys: Readonly<Record<Exclude<keyof SiteConfig, 'folder'>, ConfigKeySchema>> = {
  home: {
    description:
      'Home URL of the site, such as https://example.com, without a trailing slash. By default composed of host and port, with localhost for 0.0.0.0 and ::.',
    type: ['string', 'null'],
    pattern: '^https?://[^\\s/]+(/[^\\s?#]*)?$',
    default: null,
    variable: 'SVC_HOME',
  },
  host: {
    description:
      'Host name or IP address to listen on: 0.0.0.0 for every IPv4 address of the machine, :: for every address.',
    type: 'string',
    default: '127.0.0.1',
    variable: 'SVC_HOST',
  },
  port: {
    description: 'Port to listen on; 0 selects a free port.',
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 8080,
    variable: 'SVC_PORT',
    platformVariable: 'PORT',
  },
  workers: {
    description:
      'Number of processes with which svc-serve serves the site, on one port and one database: docs/guides/operating.md. By default one per core, at most 4; one with sqlite::memory: or while requests are traced.',
    type: ['integer', 'null'],
    minimum: 1,
    maximum: 64,
    default: null,
    variable: 'SVC_WORKERS',
  },
  database: {
    description:
      'Database of the site: sqlite:FILE, sqlite::memory: or postgres://user@host/name. A config file can refer to a variable or another file instead: { "env": NAME } or { "file": PATH }.',
    type: 'string',
    secret: true,
    pattern: '^(sqlite:|postgres(ql)?://).+',
    default: 'sqlite:./data/site.db',
    variable: 'SVC_DATABASE',
    platformVariable: 'DATABASE_URL',
  },
  durability: {
    description:
      'When the response to a write is sent: full, once a power failure cannot undo the write; relaxed, as soon as the write is committed, so that a power failure can lose the last writes.',
    enum: ['full', 'relaxed'],
    default: 'full',
    variable: 'SVC_DURABILITY',
  },
  uploads: {
    description: 'Folder for media files.',
    type: 'string',
    default: './data/uploads',
    variable: 'SVC_UPLOADS',
  },
  share_uploads: {
    description:
      'Whether other accounts of this machine can read the uploads, such as the account of a web server that serves the files itself: new folders and files get the permissions 755 and 644 instead of 700 and 600.',
    type: 'boolean',
    default: false,
    variable: 'SVC_SHARE_UPLOADS',
  },
  word: {
    description: `Prefix of identifiers of the REST API: svc, or ${EXISTING_WORD} for existing clients.`,
    type: 'string',
    // Names of content types begin with the word. The excluded words are prefixes of other names.
    pattern: '^(?!(?:custom|link|nav|post|user)$)[a-z][a-z0-9]*$',
    default: 'svc',
    variable: 'SVC_WORD',
  },
  relation_uri: {
    description: 'URI prefix of link relation names. By default the URI that belongs to the word.',
    type: ['string', 'null'],
    default: null,
    variable: 'SVC_RELATION_URI',
  },
  addresses: {
    description: 'How URLs of the REST API are written: pretty, index (below /index.php) or plain (?rest_route=).',
    enum: ['pretty', 'index', 'plain'],
    default: 'pretty',
    variable: 'SVC_ADDRESSES',
  },
  revision: {
    description: 'Revision of the REST API, for plugins and clients of an older revision: docs/guides/revisions.md.',
    enum: REVISIONS,
    default: 'latest',
    variable: 'SVC_REVISION',
  },
  preset: {
    description:
      'Which default plugins start: full for all, core for the REST API without the admin, the editors, the pages of visitors, design and webhooks. "plugins" adds single plugins.',
    enum: ['core', 'full'],
    default: 'full',
    variable: 'SVC_PRESET',
  },
  trust_proxy: {
    description: 'Whether the headers X-Forwarded-Proto and X-Forwarded-For of a proxy are trusted.',
    type: 'boolean',
    default: false,
    variable: 'SVC_TRUST_PROXY',
  },
  debug: {
    description: 'Reports deprecated uses to plugin authors, in headers and in the log.',
    type: 'boolean',
    default: false,
    variable: 'SVC_DEBUG',
  },
  trace: {
    description:
      'Shows administrators which hooks each request fires, what each tap changes, and its SQL: on the page /svc-admin/trace, in the log and in Server-Timing.',
    type: 'boolean',
    default: false,
    variable: 'SVC_TRACE',
  },
  log: {
    description: 'Minimum level of log lines.',
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    variable: 'SVC_LOG',
  },
  read_get_bodies: {
    description:
      'Whether bodies of GET and HEAD requests are read, as some old clients send them. Responses are then marked no-store, because shared caches ignore request bodies.',
    type: 'boolean',
    default: false,
    variable: 'SVC_READ_GET_BODIES',
  },
  limits: {
    description:
      'Limits of requests, connections and responses. One request: bytes of the body including files (bodyLimit; visitor for visitors), bytes of the text in it, such as JSON and form fields (text), bytes of the headers (headers), levels of nested JSON (depth), and milliseconds until the response is ready (requestTimeout). All requests in progress: bytes of their bodies, including the parsed values (bodies; visitorBodies for visitors); one user, or one network of visitors, can use a quarter. Open connections (connections); one network can use a quarter. Requests of one network that are handled at the same time (atOnce); further requests wait. Characters of one response (response), and of all long responses in memory (responses). Clients must transfer rate bytes per second on average over connectionTimeout milliseconds.',
    type: 'object',
    additionalProperties: false,
    // camelCase, because Fastify has some options of the same names. `formerName` still works and logs a warning.
    properties: {
      bodyLimit: { type: 'integer', minimum: 1024, default: 67_108_864, formerName: 'body' },
      text: { type: 'integer', minimum: 1024, default: 8_388_608 },
      visitor: { type: 'integer', minimum: 1024, default: 1_000_000 },
      bodies: { type: 'integer', minimum: 1024, default: 536_870_912 },
      visitorBodies: { type: 'integer', minimum: 1024, default: 67_108_864, formerName: 'visitor_bodies' },
      connections: { type: 'integer', minimum: 1, default: 10_000 },
      atOnce: { type: 'integer', minimum: 1, default: 64, formerName: 'at_once' },
      response: { type: 'integer', minimum: 1_048_576, default: 33_554_432, formerName: 'answer' },
      responses: { type: 'integer', minimum: 1_048_576, default: 268_435_456, formerName: 'answers' },
      headers: { type: 'integer', minimum: 1024, default: 16_384 },
      depth: { type: 'integer', minimum: 1, default: 100 },
      requestTimeout: { type: 'integer', minimum: 100, default: 30_000, formerName: 'time' },
      rate: { type: 'integer', minimum: 0, default: 2000 },
      connectionTimeout: { type: 'integer', minimum: 100, default: 30_000, formerName: 'idle' },
    },
    default: {},
  },
  plugins: {
    description:
      'Options of default plugins by name, false to switch a plugin off, { "use": FILE } to replace it, and further plugins by file or package.',
    type: 'object',
    additionalProperties: { type: ['boolean', 'object'], properties: { use: { type: 'string' } } },
    default: {},
  },
}

/** Config keys that hold secrets. */
export const secretKeys = ['database'] as const satisfies readonly SecretKey[]
