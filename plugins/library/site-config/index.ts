/** The keys of the config that the kernel does not read, the revisions of the REST API, and the presets of plugins. */
import type { AnyPlugin, SiteConfig } from '../../../kernel/index.ts'
import type { Revision } from './revisions.ts'

export { hasSince, REVISIONS, type Revision, type RevisionChanges } from './revisions.ts'

/** The config of one plugin: its options, false (switched off), or `use` (replaced) with options. */
export type PluginSetting = boolean | ({ use?: string } & Record<string, unknown>)

/** Lists of default plugins, by value of the config key `preset`. */
export type Presets = Readonly<Record<SiteConfig['preset'], readonly AnyPlugin[]>>

declare module '../../../kernel/index.ts' {
  interface PluginContext {
    /**
     * Whether the revision of the REST API that the site speaks has what came with a version of the interface: `since('6.6')`.
     * What it has not, neither answers nor is listed.
     */
    since(this: void, version: string): boolean
  }

  interface Limits {
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
    /** Levels of nesting in a JSON body. */
    depth: number
    /** Bytes a second that a client has to send of a body, and to receive of a response, on average over `connectionTimeout`. */
    rate: number
    /** Milliseconds over which `rate` is averaged. The connection of a transfer without progress is closed after them. */
    connectionTimeout: number
  }

  interface SiteConfig {
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
    relation_uri: string | null
    revision: Revision
    /** Which of the default plugins start: `core` for the resources of the specification, `full` for all. */
    preset: 'core' | 'full'
    debug: boolean
    /** Whether a page of the admin, the log and `Server-Timing` tell what each request runs: hooks, taps, SQL. */
    trace: boolean
    log: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
    plugins: Record<string, PluginSetting>
    /** Folder that relative paths are below: that of the config file, else the working directory. */
    folder: string
  }
}
