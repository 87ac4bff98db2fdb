import { definePlugin, type Awaitable } from '../../../kernel/index.ts'
import { Versions } from './versions.ts'

/** Something that has changed, once it is committed. */
export interface Change {
  /** Number of the change, in the order of commits. */
  readonly id: number
  /** `post`, `term`, `comment`, `user`, `option`, `session`, `application_password`; `all` where it is not known what. */
  readonly kind: string
  /** ID of the object; the name of an option. */
  readonly object: string
  /** Content type, taxonomy, type of the comment; '' for others. */
  readonly type: string
  readonly change: 'create' | 'update' | 'delete'
  /** What caches know it by: the object, the lists that it was or is in, the tables. */
  readonly tags: readonly string[]
  /** Unix milliseconds. */
  readonly time: number
  /** What tells the object from others, as it was before: status, slug, author, parent …; null for one that is new. */
  readonly before: Readonly<Record<string, unknown>> | null
  /** The same as it is now; null for one that is gone. */
  readonly after: Readonly<Record<string, unknown>> | null
  /** Keys of meta that changed. */
  readonly meta: readonly string[]
}

/** What has changed when, for those who keep what they made of it. */
export interface Changes {
  /**
   * The state of the data, after a look at what other processes have changed: a number that grows with each change. To be
   * asked before anything is read for what is kept, and before what is kept is used. Null while it cannot be known:
   * nothing may be used then that was kept before.
   */
  state(): Awaitable<number | null>
  /** Whether nothing that the tags name has changed since a state. */
  unchanged(tags: readonly string[], since: number): boolean
  /** When something that the tags name changed last, in Unix milliseconds; not before the start of the process. */
  changedAt(tags: readonly string[]): number
  /** Tells what has no row in the database that it has changed: `stock:7`. In this process alone. */
  touch(tags: readonly string[]): void
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /** What has changed, here and in other processes. */
    changes: Changes
  }
}

/** Tells what has changed, whoever changed it. */
export default definePlugin({
  name: 'changes',
  needs: ['store'],
  apply({ provide }) {
    const versions = new Versions()
    provide('changes', {
      state: () => versions.state,
      unchanged: (tags, since) => versions.unchanged(tags, since),
      changedAt: (tags) => versions.changedAt(tags),
      touch: (tags) => versions.change(tags, Date.now()),
    })
  },
})
