import { pino } from 'pino'
import { checkPort, createLog, isWildcard, type Kernel } from '../config/index.ts'
import type { SiteConfig } from '../../kernel/index.ts'
import { printFailure } from './failure.ts'
import { RequestsInProgress } from './requests-in-progress.ts'
import { startSite } from './site.ts'
import type { StopRequest } from './stop-request.ts'
import { startWatchdog } from './watchdog.ts'
import { ownPlace, REPORT_DESCRIPTOR, type Primary } from './worker.ts'

/** Time after the stop until the process exits even if a plugin left a timer or connection open. */
const EXIT_TIMEOUT_MS = 2000
/** Time that the server has to stop after an uncaught error: requests in progress may never finish. */
const CRASH_STOP_TIMEOUT_MS = 2000

/**
 * Serves a site in this process until SIGTERM or SIGINT.
 * @param primary the primary, if this process is one of its workers
 * @param stop request to stop the process
 * @returns exit code: 0 after a signal, 1 when the site could not start or continue
 */
export async function serveSite(config: SiteConfig, primary: Primary | null, stop: StopRequest): Promise<number> {
  const place = ownPlace()
  const requests = new RequestsInProgress()
  let kernel: Kernel
  let isStarting = true
  // A database that does not answer can block the start: after a signal, the process exits within the request timeout.
  void stop.requested.then(() => {
    setTimeout(() => isStarting && process.exit(0), config.limits.requestTimeout).unref()
  })
  try {
    // Starting a site creates its database: a server without a port must not leave one behind. The primary has checked the port.
    if (primary === null) await checkPort(config.port, config.host)
    const log = createLog(config.log, pino.destination({ dest: 2, sync: true }), place?.number)
    const worker = place === null ? undefined : { number: place.number, count: place.count }
    kernel = await startSite(config, log, worker, requests)
  } catch (error) {
    endSoon()
    return primary?.fail(error) ?? printFailure(error)
  } finally {
    isStarting = false
  }
  if (primary !== null) kernel.onRestartRequest = (reason) => primary.send({ type: 'replace', reason })
  const stopped = untilStopped(kernel, primary, stop)
  if (stop.isRequested) return await stopped
  try {
    // The channel to the primary also passes it the port.
    primary?.keepAlive(true)
    const home = await kernel.listen(config.port, config.host, place?.joins)
    startWatchdog(requests, kernel.log, primary === null ? null : REPORT_DESCRIPTOR)
    const admin = kernel.plugins.some(({ slot }) => slot === 'admin')
      ? ` and its admin at ${home}${kernel.branding.adminPath}`
      : ''
    const hint =
      config.home === null && isWildcard(config.host)
        ? `\nIt listens on every address of this machine (${config.host}). Set "home" to the URL that visitors use.`
        : ''
    const sentence = `Serving ${home}/ with its REST API at ${kernel.urls.rest()}${admin}${hint}`
    if (primary === null) console.log(sentence)
    else primary.send({ type: 'serving', sentence })
  } catch (error) {
    // A signal stopped the site before it was ready.
    if (kernel.closed) return await stopped
    endSoon()
    primary?.keepAlive(false)
    await kernel.close()
    return primary?.fail(error) ?? printFailure(error)
  }
  return await stopped
}

/** Waits for a signal, a fatal error or the primary, then stops the server. Resolves with the exit code. */
async function untilStopped(kernel: Kernel, primary: Primary | null, stop: StopRequest): Promise<number> {
  const { log } = kernel
  process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled promise rejection'))
  const code = await new Promise<number>((resolve) => {
    process.once('uncaughtException', (err) => {
      log.fatal({ err }, 'stopping after an uncaught error')
      // Hanging requests and further errors must not delay the exit: the primary or a process manager restarts the site.
      process.on('uncaughtException', (again) => log.fatal({ err: again }, 'another uncaught error'))
      setTimeout(() => process.exit(1), CRASH_STOP_TIMEOUT_MS).unref()
      resolve(1)
    })
    void kernel.givenUp.then((err) => {
      log.fatal({ err }, err.message)
      primary?.send({ type: 'over' })
      resolve(1)
    })
    void stop.requested.then((reason) => {
      log.info(reason, 'stopping')
      resolve(0)
    })
    primary?.onFinish(() => {
      log.info('another worker has replaced this one; finishing requests, imports and jobs')
      const failed = (err: unknown) => log.error({ err }, 'this worker stops before its work is finished')
      void kernel
        .finish(() => primary.send({ type: 'left' }))
        .catch(failed)
        .then(() => resolve(0))
    })
  })
  try {
    await kernel.close()
  } catch (err) {
    log.error({ err }, 'the server failed to stop cleanly')
    return 1
  } finally {
    endSoon()
    primary?.keepAlive(false)
  }
  log.info('stopped')
  return code
}

/** Exits the process after a timeout, even if a plugin left a timer or connection open. */
function endSoon(): void {
  setTimeout(() => process.exit(), EXIT_TIMEOUT_MS).unref()
}
