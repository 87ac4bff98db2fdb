import type { RestServer } from '../rest/server.ts'
import type { Waiting } from '../work.ts'
import type { Call } from './call.ts'

/** The taps that something waits for, in words; the one that the others wait for is the last. */
export function inWords(waiting: readonly Waiting[]): string {
  const last = waiting.at(-1)
  if (last === undefined) return 'something has not ended'
  const others = waiting.length === 1 ? '' : `, and ${waiting.length - 1} more`
  return `the tap ${last.tap} of the plugin ${last.plugin} on ${last.hook} has not ended${others}`
}

/** What a call that takes too long waits for, in words. */
export function whatWaits({ work, stage, request }: Call, server: Pick<RestServer, 'routes'>): string {
  const { waiting } = work
  if (waiting.length > 0) return inWords(waiting)
  if (stage !== null) return stage
  const route = request?.matchedRoute ?? null
  if (route === null) return inWords(waiting)
  return `the handler of ${route} of the plugin ${server.routes.get(route)?.owner} has not ended`
}
