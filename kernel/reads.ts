import type { Owner } from './ownership.ts'

/**
 * Tags of the data that a callback reads from other sources, such as `['stock:7']`, or a function that returns tags
 * from the same arguments; `'nothing'` for no tag. Reads of its arguments, the request and services of default plugins
 * are recorded automatically.
 */
export type DependsOn<A extends unknown[] = never[]> =
  'nothing' | readonly string[] | ((...args: A) => readonly string[])

/** Options about caching with which a plugin registers a callback. */
export interface CacheHints<A extends unknown[] = never[]> {
  /** Tags of the data that the callback reads from sources other than services and the request. */
  dependsOn?: DependsOn<A> | undefined
  /** Whether responses that the callback takes part in may be cached; true by default. */
  cache?: boolean | undefined
}

/**
 * Collects the tags of data and the parts of the request that the running code reads. A cache uses these records to
 * decide whether a response is still valid.
 */
export interface ReadRecorder {
  /** Whether nothing was recorded. */
  readonly isEmpty: boolean
  /** Reason why the result must not be cached; null if it can be. */
  readonly refusal: string | null
  /** Adds everything recorded so far, and in the future, to another recorder. */
  join(whole: ReadRecorder): void
  /** Records data by its tags. */
  addAll(tags: Iterable<string>): void
  /** Records a query parameter. @param value null if the request lacks it */
  addParameter(name: string, value: string | null): void
  /** Records that any part of the request may have been read. */
  addRequest(): void
  /** Records that a part of the result has failed. */
  addFailure(): void
  /** Records the time at which the result changes by itself. @param time Unix milliseconds */
  cacheUntil(time: number): void
  /** Forbids to cache the result. */
  refuse(reason: string): void
  /** Forbids to cache the result as a part of other responses. */
  refusePart(reason: string): void
}

/** Records reads. `plugins/library/caching/` implements it for all kernels of a process. */
export interface ReadRecording {
  /** Returns the recorder of the running code; undefined if no cache could store its result. */
  current(): ReadRecorder | undefined
  /** Runs `make` with a recorder (null if reads are not recorded), whose reads are also added to the outer recorder. */
  collect<T>(make: (recorder: ReadRecorder | null) => T): T
  /** Wraps a callback of a plugin so that it records its declared dependencies. @param label its name in messages */
  declared<A extends unknown[], R>(
    callback: (...args: A) => R,
    label: string,
    hints: CacheHints<A>,
    owner: Owner,
  ): (...args: A) => R
}

/** The recording in use; records nothing until `recordReads` is called. */
export let reads: ReadRecording = {
  current: () => undefined,
  collect: (make) => make(null),
  declared: (callback) => callback,
}

/** Sets the recording in use. The caching library calls it when it is imported. */
export function recordReads(recording: ReadRecording): void {
  reads = recording
}
