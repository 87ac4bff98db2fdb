import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { createLog, type Kernel } from '../../kernel/host.ts'
import { configFlags, configFrom, configUsage } from './config-flags.ts'
import { printFailure } from './failure.ts'
import { keepHeapSmall } from './memory.ts'
import { startSite } from './site.ts'

export const usage = () => `Usage: svc-serve [FLAGS]

Serves the site of the config file in this folder, or a new one. Log lines go to stderr, one JSON object each.

${configUsage()}
  --help                This text.`

/** Milliseconds that what plugins left open may keep the process alive once the server has stopped. */
const EXIT_AFTER = 2000
/** Milliseconds that the server may take to stop after an error that nobody caught: what is under way may be broken. */
const STOP_WITHIN = 2000

/**
 * Runs `svc-serve` until SIGTERM or SIGINT.
 * @param argv arguments after the command's name
 * @returns exit code: 0 after a signal, 1 when it could not start or go on
 */
export async function main(argv: readonly string[]): Promise<number> {
  let kernel: Kernel
  try {
    const { values } = parseArgs({ args: [...argv], options: { ...configFlags, help: { type: 'boolean' } } })
    if (values['help'] === true) {
      console.log(usage())
      return 0
    }
    keepHeapSmall()
    const config = await configFrom(values)
    kernel = await startSite(config, createLog(config.log, pino.destination({ dest: 2, sync: true })))
  } catch (error) {
    endSoon()
    return printFailure(error)
  }
  const stopped = untilStopped(kernel)
  try {
    const home = await kernel.listen()
    console.log(`Serving ${home}/ with its REST API at ${kernel.urls.rest()}`)
  } catch (error) {
    // A signal stopped it before it was ready.
    if (kernel.closed) return await stopped
    endSoon()
    await kernel.close()
    return printFailure(error)
  }
  return await stopped
}

/** Waits for the end and stops the server in good order; a second signal ends the process at once. */
async function untilStopped(kernel: Kernel): Promise<number> {
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
      resolve(1)
    })
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        log.info({ signal }, 'stopping')
        process.once(signal, () => process.exit(130))
        resolve(0)
      })
    }
  })
  try {
    await kernel.close()
  } catch (err) {
    log.error({ err }, 'the server did not stop in good order')
    return 1
  } finally {
    endSoon()
  }
  log.info('stopped')
  return code
}

/** Ends the process though something that a plugin left open would keep it alive. */
function endSoon(): void {
  setTimeout(() => process.exit(), EXIT_AFTER).unref()
}
