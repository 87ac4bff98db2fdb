import { EXISTING_WORD } from '../../plugins/library/branding/index.ts'
import type { SecretKey, SiteConfig } from '../../kernel/index.ts'
import { REVISIONS } from '../../plugins/library/site-config/index.ts'

/** The schema of a config key. */
export type ConfigKeySchema = {
  description: string
  default: unknown
  variable?: string
  /** Variable that hosting platforms set. It overrides the file; `variable` overrides it. */
  platformVariable?: string
} & Record<string, unknown>

/** Every config key with its schema, default, description and environment variable, as docs/reference/config.md lists them. */
export const configKeys: Readonly<Record<Exclude<keyof SiteConfig, 'folder'>, ConfigKeySchema>> = {
  home: {
    description:
      'Home URL of the site, such as https://example.com, without a trailing slash. By default made from host and port, with localhost for 0.0.0.0 and ::.',
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
    description: 'Port to listen on; 0 takes a free one.',
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 8080,
    variable: 'SVC_PORT',
    platformVariable: 'PORT',
  },
  workers: {
    description:
      'How many processes serve the site with svc-serve, on one port and one database: docs/guides/operating.md. By default as many as the machine has cores, at most 4; one with sqlite::memory:, and while requests are traced.',
    type: ['integer', 'null'],
    minimum: 1,
    maximum: 64,
    default: null,
    variable: 'SVC_WORKERS',
  },
  database: {
    description:
      'Where the content is kept: sqlite:FILE, sqlite::memory: or postgres://user@host/name. In the file it may be read from elsewhere: { "env": NAME } or { "file": PATH }.',
    type: 'string',
    secret: true,
    pattern: '^(sqlite:|postgres(ql)?://).+',
    default: 'sqlite:./data/site.db',
    variable: 'SVC_DATABASE',
    platformVariable: 'DATABASE_URL',
  },
  durability: {
    description:
      'When the response to a write is sent: full, once a power cut cannot undo the write; relaxed, as soon as it is made, so that a power cut may lose the last ones.',
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
      'Whether other accounts of this machine may read the uploads, such as that of a web server which sends the files itself: new folders and files get the permissions 755 and 644, not 700 and 600.',
    type: 'boolean',
    default: false,
    variable: 'SVC_SHARE_UPLOADS',
  },
  word: {
    description: `The word that identifiers of the REST API begin with: svc, or ${EXISTING_WORD} for existing clients.`,
    type: 'string',
    // Names of content types begin with the word, and these words begin the names of others.
    pattern: '^(?!(?:custom|link|nav|post|user)$)[a-z][a-z0-9]*$',
    default: 'svc',
    variable: 'SVC_WORD',
  },
  relation_uri: {
    description: 'URI before the names of link relations. By default that of the word.',
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
    description: 'Revision of the REST API, for plugins and clients of an older one: docs/guides/revisions.md.',
    enum: REVISIONS,
    default: 'latest',
    variable: 'SVC_REVISION',
  },
  preset: {
    description:
      'Which of the default plugins start: full for all, core for the REST API without the admin, the editors, the pages of visitors, design and webhooks. "plugins" adds single ones.',
    enum: ['core', 'full'],
    default: 'full',
    variable: 'SVC_PRESET',
  },
  trust_proxy: {
    description: 'Whether X-Forwarded-Proto and X-Forwarded-For of a proxy are trusted.',
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
    description: 'Minimum level of the lines logged.',
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    variable: 'SVC_LOG',
  },
  read_get_bodies: {
    description:
      'Whether bodies of GET and HEAD requests are read, as some old clients send them. Shared caches do not look at them: the responses are then marked no-store.',
    type: 'boolean',
    default: false,
    variable: 'SVC_READ_GET_BODIES',
  },
  limits: {
    description:
      'Limits of requests, connections and responses. One request: bytes of the body including files (bodyLimit; visitor for visitors), bytes of the text in it, such as JSON and form fields (text), bytes of the headers (headers), levels of nested JSON (depth), and milliseconds until the response is ready (requestTimeout). All requests in progress: bytes of their bodies, including the parsed values (bodies; visitorBodies for visitors); one user, or one network of visitors, can use a quarter. Open connections (connections); one network can use a quarter. Requests of one network that are handled at the same time (atOnce); more have to wait. Characters of one response (answer), and of all long responses in memory (answers). Clients must transfer rate bytes per second on average over connectionTimeout milliseconds.',
    type: 'object',
    additionalProperties: false,
    // camelCase, because Fastify has some of these options by the same names. `formerName` keeps working, with a warning.
    properties: {
      bodyLimit: { type: 'integer', minimum: 1024, default: 67_108_864, formerName: 'body' },
      text: { type: 'integer', minimum: 1024, default: 8_388_608 },
      visitor: { type: 'integer', minimum: 1024, default: 1_000_000 },
      bodies: { type: 'integer', minimum: 1024, default: 536_870_912 },
      visitorBodies: { type: 'integer', minimum: 1024, default: 67_108_864, formerName: 'visitor_bodies' },
      connections: { type: 'integer', minimum: 1, default: 10_000 },
      atOnce: { type: 'integer', minimum: 1, default: 64, formerName: 'at_once' },
      answer: { type: 'integer', minimum: 1_048_576, default: 33_554_432 },
      answers: { type: 'integer', minimum: 1_048_576, default: 268_435_456 },
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
      'Options of default plugins by name, false to switch one off, { "use": FILE } to replace one, and further plugins by file or package.',
    type: 'object',
    additionalProperties: { type: ['boolean', 'object'], properties: { use: { type: 'string' } } },
    default: {},
  },
}

/** Config keys that hold secrets. */
export const secretKeys = ['database'] as const satisfies readonly SecretKey[]
