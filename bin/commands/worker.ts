import cluster from 'node:cluster'
import type { WorkerPlace } from '../../kernel/index.ts'
import { failureText, failureWithPlace } from './failure.ts'
import { reportLoadedFiles } from './loaded-files.ts'
import { missingFile } from './missing-file.ts'

/** The reason why a worker could not start. */
export interface StartFailure {
  readonly text: string
  /** Path of the file that an import did not find; '' if its path is unknown, null if the reason is another one. */
  readonly missing: string | null
}

/** A message from a worker to the primary. */
export type WorkerMessage =
  /** The worker serves; the sentence contains the URL. */
  | { readonly type: 'serving'; readonly sentence: string }
  | ({ readonly type: 'failed' } & StartFailure)
  /** The worker loads a file of the site; `hash` is the hash of its content. */
  | { readonly type: 'loaded'; readonly file: string; readonly hash: string | null }
  /** The worker finishes its work and has closed all idle connections. */
  | { readonly type: 'left' }
  /** A plugin asks for new workers. */
  | { readonly type: 'replace'; readonly reason: string }
  /** The site cannot continue in any process. */
  | { readonly type: 'over' }

/** Message from the primary: stop gracefully. */
export const STOP = 'stop'
/** Message from the primary: finish requests, imports and jobs, then stop. */
export const FINISH = 'finish'

/** File descriptor of the pipe for watchdog reports: 0 to 2 are the standard streams, 3 is the IPC channel. */
export const REPORT_DESCRIPTOR = 4

/** Environment variable with the place of a worker, such as `2/4`, followed by a plus sign if other workers already serve. */
const PLACE = 'SVC_WORKER'

/** The place of a worker among the workers of its primary. */
export interface OwnPlace extends WorkerPlace {
  /** Whether other workers already serve the port. */
  readonly joins: boolean
}

/** Returns the environment variables that pass a worker its place. */
export function environmentOf({ number, count, joins }: OwnPlace): Record<string, string> {
  return { [PLACE]: `${number}/${count}${joins ? '+' : ''}` }
}

/** Returns the place of this process among the workers of its primary; null if it is not a worker. */
export function ownPlace(): OwnPlace | null {
  if (!cluster.isWorker) return null
  const [, number, count, mark] = /^(\d+)\/(\d+)(\+?)$/.exec(process.env[PLACE] ?? '') ?? []
  return count === undefined ? null : { number: Number(number), count: Number(count), joins: mark === '+' }
}

/** A worker's channel to the primary that started it. */
export class Primary {
  #isWatching = false

  constructor() {
    // Without it Node exits this process immediately when the primary is gone.
    cluster.worker!.exitedAfterDisconnect = true
    this.keepAlive(false)
  }

  send(message: WorkerMessage): void {
    if (process.connected) process.send!(message)
  }

  /** Sends the reason why the site does not start. The primary prints it once for all workers. */
  fail(error: unknown): 1 {
    const text = this.#isWatching ? failureWithPlace(error) : failureText(error)
    this.send({ type: 'failed', text, missing: missingFile(error) })
    return 1
  }

  /** Reports each file of the site that is loaded after this call. */
  watch(): void {
    this.#isWatching = true
    reportLoadedFiles((file, hash) => this.send({ type: 'loaded', file, hash }))
  }

  /**
   * Calls `stop` when the primary requests the stop or is gone. Node buffers messages until the first listener, so the
   * primary can send them at any time.
   */
  onStop(stop: (reason: string) => void): void {
    process.on('message', (message) => {
      if (message === STOP) stop('requested by the primary')
    })
    const onDisconnect = () => stop('the primary is gone')
    if (process.connected) process.once('disconnect', onDisconnect)
    else onDisconnect()
    this.keepAlive(false)
  }

  /** Calls `finish` when this process must finish its work and then stop. */
  onFinish(finish: () => void): void {
    process.on('message', (message) => {
      if (message === FINISH) finish()
    })
  }

  /** Sets whether the channel keeps this process alive: only while it serves. */
  keepAlive(on: boolean): void {
    if (on) process.channel?.ref()
    else process.channel?.unref()
  }
}
