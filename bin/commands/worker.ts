import cluster from 'node:cluster'
import type { WorkerPlace } from '../../kernel/index.ts'
import { failureText, failureWithPlace } from './failure.ts'
import { reportLoadedFiles } from './loaded-files.ts'
import { missingFile } from './missing-file.ts'

/** Why a worker could not start. */
export interface StartFailure {
  readonly text: string
  /** Path of the file that an import did not find, '' if it is not known; null if no import failed in this way. */
  readonly missing: string | null
}

/** A message of a worker to the primary. */
export type WorkerMessage =
  /** It serves; the sentence says where. */
  | { readonly type: 'serving'; readonly sentence: string }
  | ({ readonly type: 'failed' } & StartFailure)
  /** It loads a file of the site; the hash is that of the content. */
  | { readonly type: 'loaded'; readonly file: string; readonly hash: string | null }
  /** It finishes its work, and no idle connection to it is open any more. */
  | { readonly type: 'left' }
  /** The site cannot go on, in whatever process. */
  | { readonly type: 'over' }

/** Message by which the primary has a worker stop in good order. */
export const STOP = 'stop'
/** Message by which the primary has a worker finish its requests, imports and jobs, and then stop. */
export const FINISH = 'finish'

/** The file descriptor by which the watchdog of a worker reports to the primary: behind the three standard ones and that of messages. */
export const REPORT_DESCRIPTOR = 4

/** The variable with the place of a worker, `2/4`, and a plus sign after it if other workers serve already. */
const PLACE = 'SVC_WORKER'

/** The place of a worker, as its primary passes it. */
export interface OwnPlace extends WorkerPlace {
  /** Whether other workers serve the port already. */
  readonly joins: boolean
}

/** The environment of a worker. */
export function environmentOf({ number, count, joins }: OwnPlace): Record<string, string> {
  return { [PLACE]: `${number}/${count}${joins ? '+' : ''}` }
}

/** The place of this process among the workers of a primary; null if it is not one of them. */
export function ownPlace(): OwnPlace | null {
  if (!cluster.isWorker) return null
  const [, number, count, mark] = /^(\d+)\/(\d+)(\+?)$/.exec(process.env[PLACE] ?? '') ?? []
  return count === undefined ? null : { number: Number(number), count: Number(count), joins: mark === '+' }
}

/** A worker's way to the primary that started it. */
export class Primary {
  #isWatching = false

  constructor() {
    // Or Node ends this process at once when the primary is gone, whatever it is doing.
    cluster.worker!.exitedAfterDisconnect = true
    this.waits(false)
  }

  tell(message: WorkerMessage): void {
    if (process.connected) process.send!(message)
  }

  /** Tells why the site does not start: the primary says it, once for all workers. */
  fail(error: unknown): 1 {
    const text = this.#isWatching ? failureWithPlace(error) : failureText(error)
    this.tell({ type: 'failed', text, missing: missingFile(error) })
    return 1
  }

  /** Reports each file of the site that is loaded from now on. */
  watch(): void {
    this.#isWatching = true
    reportLoadedFiles((file, hash) => this.tell({ type: 'loaded', file, hash }))
  }

  /**
   * Calls back when this process is to stop: the primary says so, or is gone. Node keeps messages that arrived before, so a
   * primary may say so at any moment.
   */
  onStop(stop: (reason: string) => void): void {
    process.on('message', (message) => {
      if (message === STOP) stop('as the primary says')
    })
    const gone = () => stop('the primary is gone')
    if (process.connected) process.once('disconnect', gone)
    else gone()
    this.waits(false)
  }

  /** Calls back when this process is to finish all its work and then stop. */
  onFinish(finish: () => void): void {
    process.on('message', (message) => {
      if (message === FINISH) finish()
    })
  }

  /** Whether the way to the primary keeps this process alive: as long as it serves, and neither before nor after. */
  waits(on: boolean): void {
    if (on) process.channel?.ref()
    else process.channel?.unref()
  }
}
