/** Config keys outside of the kernel, the revisions of the REST API, and the presets of plugins. */
import type { AnyPlugin, SiteConfig } from '../../../kernel/index.ts'
import type { Revision } from './revisions.ts'

export { hasSince, REVISIONS, type Revision, type RevisionChanges } from './revisions.ts'

/** Config of a plugin: its options, false to disable it, or `use` with options to replace it. */
export type PluginSetting = boolean | ({ use?: string } & Record<string, unknown>)

/** Default plugins by value of the config key `preset`. */
export type Presets = Readonly<Record<SiteConfig['preset'], readonly AnyPlugin[]>>

declare module '../../../kernel/index.ts' {
  interface PluginContext {
    /**
     * Returns whether the revision of the REST API includes the features of a version: `since('6.6')`. Features of
     * later versions neither respond nor are listed.
     */
    since(this: void, version: string): boolean
  }

  interface Limits {
    /** Bytes of the parsed part of a body: JSON, a form, the fields of a form with files. */
    text: number
    /** Bytes of a visitor's body. Above `text`, it is stored on disk. */
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
    /** Concurrent requests per network; more have to wait. */
    atOnce: number
    /** Characters of one response with long texts. */
    response: number
    /** Characters that all long responses in progress, and the rows they are rendered from, hold in memory. */
    responses: number
    /** Levels of nesting in a JSON body. */
    depth: number
    /**
     * Minimum of bytes per second that a client sends of a body, and receives of a response, on average over
     * `connectionTimeout`.
     */
    rate: number
    /** Milliseconds over which `rate` is averaged. A transfer without progress for that long is aborted. */
    connectionTimeout: number
  }

  interface SiteConfig {
    /** Number of processes of `svc-serve`; null chooses it by the machine. */
    workers: number | null
    /** `sqlite:FILE`, `sqlite::memory:` or `postgres://…`; relative files are relative to `folder`. */
    database: string
    /** Whether the response to a write waits until the write survives a power failure (`full`) or not (`relaxed`). */
    durability: 'full' | 'relaxed'
    /** Folder of media files. */
    uploads: string
    /** Whether other accounts of the machine can read the media files. */
    share_uploads: boolean
    relation_uri: string | null
    revision: Revision
    /** Default plugins to start: `core` for the resources of the specification, `full` for all. */
    preset: 'core' | 'full'
    debug: boolean
    /** Whether an admin page, the log and `Server-Timing` report the hooks, taps and SQL of each request. */
    trace: boolean
    log: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
    plugins: Record<string, PluginSetting>
    /** Base folder of relative paths: the folder of the config file, or the working directory. */
    folder: string
  }
}
