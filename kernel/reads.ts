import type { Owner } from './ownership.ts'

/**
 * What a callback reads besides its arguments, the request and the services of the defaults, all of which are recorded
 * without being named: tags such as `['stock:7']`, or a function of the same arguments that returns tags. `'nothing'` names
 * no tag.
 */
export type DependsOn<A extends unknown[] = never[]> =
  'nothing' | readonly string[] | ((...args: A) => readonly string[])

/** What a plugin says about caching when it registers a callback. */
export interface CacheHints<A extends unknown[] = never[]> {
  /** The tags of what the callback reads from other sources than services and the request. */
  dependsOn?: DependsOn<A> | undefined
  /** Whether responses may be stored that the callback takes part in; true by default. */
  cache?: boolean | undefined
}

/** Records what the running code reads, so that a cache can find out whether a stored response is still right. */
export interface ReadRecorder {
  /** Whether nothing was recorded. */
  readonly isEmpty: boolean
  /** Why the result must not be stored; null if it can be. */
  readonly refusal: string | null
  /** Has another recorder record the same, from now on as well. */
  join(whole: ReadRecorder): void
  /** Records data by its tags. */
  addAll(tags: Iterable<string>): void
  /** Records a query parameter. @param value null if the request does not have it */
  addParameter(name: string, value: string | null): void
  /** Records that anything in the request may have been read. */
  addRequest(): void
  /** Records that a part has failed. */
  addFailure(): void
  /** Records when the result changes by itself. @param time Unix milliseconds */
  keepUntil(time: number): void
  /** Forbids to store the result. */
  refuse(reason: string): void
  /** Forbids to store it as a part of other responses. */
  refusePart(reason: string): void
}

/** How reads are recorded. `plugins/library/caching/` does it for all kernels of a process. */
export interface ReadRecording {
  /** The recorder of the running code; undefined where no cache could store what it makes. */
  current(): ReadRecorder | undefined
  /** Runs `make` with a recorder, null if reads are not recorded. The recorder around it records the same. */
  collect<T>(make: (recorder: ReadRecorder | null) => T): T
  /** Has a callback of a plugin record what it declares to read. @param what names it in messages */
  declared<A extends unknown[], R>(
    callback: (...args: A) => R,
    what: string,
    hints: CacheHints<A>,
    owner: Owner,
  ): (...args: A) => R
}

/** Records what the running code reads; records nothing until `recordReads` was called. */
export let reads: ReadRecording = {
  current: () => undefined,
  collect: (make) => make(null),
  declared: (callback) => callback,
}

/** Has reads recorded, from the import of the caching library on. */
export function recordReads(recording: ReadRecording): void {
  reads = recording
}
