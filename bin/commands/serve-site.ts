import { pino } from 'pino'
import { checkPort, createLog, isWildcard, type Kernel } from '../config/index.ts'
import type { SiteConfig } from '../../kernel/index.ts'
import { printFailure } from './failure.ts'
import { RequestsInProgress } from './requests-in-progress.ts'
import { startSite } from './site.ts'
import type { StopRequest } from './stop-request.ts'
import { startWatchdog } from './watchdog.ts'
import { ownPlace, REPORT_DESCRIPTOR, type Primary } from './worker.ts'

/** Milliseconds after the server has stopped until the process ends even if a plugin left a timer or connection open. */
const EXIT_AFTER = 2000
/** Milliseconds that the server may take to stop after an uncaught error: requests in progress may never finish. */
const STOP_WITHIN = 2000

/**
 * Serves a site in this process until SIGTERM or SIGINT.
 * @param primary who started this process as one of several
 * @param stop request to stop the process
 * @returns exit code: 0 after a signal, 1 when it could not start or go on
 */
export async function serveSite(config: SiteConfig, primary: Primary | null, stop: StopRequest): Promise<number> {
  const place = ownPlace()
  const requests = new RequestsInProgress()
  let kernel: Kernel
  let isStarting = true
  // A database that does not answer may keep the site from starting.
  void stop.asked.then(() => {
    setTimeout(() => isStarting && process.exit(0), config.limits.requestTimeout).unref()
  })
  try {
    // Starting a site creates its database, which a server without a port must not leave behind. The primary has checked it.
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
  const stopped = untilStopped(kernel, primary, stop)
  if (stop.isAsked) return await stopped
  try {
    // Its port comes from the primary.
    primary?.waits(true)
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
    else primary.tell({ type: 'serving', sentence })
  } catch (error) {
    // A signal stopped it before it was ready.
    if (kernel.closed) return await stopped
    endSoon()
    primary?.waits(false)
    await kernel.close()
    return primary?.fail(error) ?? printFailure(error)
  }
  return await stopped
}

/** Waits for the end and stops the server in good order. */
async function untilStopped(kernel: Kernel, primary: Primary | null, stop: StopRequest): Promise<number> {
  const { log } = kernel
  process.on('unhandledRejection', (err) => log.error({ err }, 'a promise failed that nobody awaited'))
  const code = await new Promise<number>((resolve) => {
    process.once('uncaughtException', (err) => {
      log.fatal({ err }, 'stopping after an error that nobody caught')
      // Neither a request that hangs nor a second error may keep it from ending: whatever starts it again waits.
      process.on('uncaughtException', (again) => log.fatal({ err: again }, 'another error that nobody caught'))
      setTimeout(() => process.exit(1), STOP_WITHIN).unref()
      resolve(1)
    })
    void kernel.givenUp.then((err) => {
      log.fatal({ err }, err.message)
      primary?.tell({ type: 'over' })
      resolve(1)
    })
    void stop.asked.then((reason) => {
      log.info(reason, 'stopping')
      resolve(0)
    })
    primary?.onFinish(() => {
      log.info('finishing requests, imports and jobs; another worker has taken the place of this one')
      const failed = (err: unknown) => log.error({ err }, 'this worker stops before all its work has ended')
      void kernel
        .finish(() => primary.tell({ type: 'left' }))
        .catch(failed)
        .then(() => resolve(0))
    })
  })
  try {
    await kernel.close()
  } catch (err) {
    log.error({ err }, 'the server did not stop in good order')
    return 1
  } finally {
    endSoon()
    primary?.waits(false)
  }
  log.info('stopped')
  return code
}

/** Ends the process soon, even if a plugin left a timer or connection open. */
function endSoon(): void {
  setTimeout(() => process.exit(), EXIT_AFTER).unref()
}
