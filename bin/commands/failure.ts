import { inspect } from 'node:util'
import { hideSecretsIn, placeIn } from '../config/index.ts'
import { RestError } from '../../kernel/index.ts'

/** The error of a command whose plugin is not there. */
export function switchedOff(plugin: string): Error {
  return new Error(`The plugin ${plugin} is switched off in this config.`)
}

/**
 * Says on stderr, in one paragraph, why a command could not do its work.
 * @returns the exit code
 */
export function printFailure(error: unknown): 1 {
  console.error(failureText(error))
  return 1
}

/** What `printFailure` says. */
export function failureText(error: unknown): string {
  const debug = process.env['SVC_DEBUG'] === 'true' || process.env['SVC_DEBUG'] === '1'
  return hideSecretsIn(debug ? inspect(error) : messageOf(error))
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, path } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' && path !== undefined) return `There is no file ${path}.`
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `${error.message}. --help lists those there are.`
  const message = error.message || String(code ?? error.name)
  // The error of a tap says where it failed; why is in its cause.
  if (error instanceof RestError && error.code === 'TAP_FAILED')
    return `${message} ${messageOf(error.cause)}${placeOf(error)}`
  return `${message}${placeOf(error)}`
}

/** What `failureText` says, with the place in an author's code where it began, whatever kind of error it was. */
export function failureWithPlace(error: unknown): string {
  const text = failureText(error)
  const { cause } = error as Error
  const place = /:\d+:\d+\)/.test(text) || !(cause instanceof Error) ? null : placeIn(cause.stack)
  return place === null ? text : `${text} (${place})`
}

/** Errors of what a plugin's own code threw. */
const STARTED: ReadonlySet<string> = new Set(['PLUGIN_FAILED', 'PLUGIN_UNLOADABLE'])

/** Where the mistake of a plugin's author is: ` (file:line:column)`; '' for what is nobody's mistake. */
function placeOf(error: Error): string {
  const { cause } = error
  const isAuthors = STARTED.has((error as { code?: string }).code ?? '')
  const slip =
    cause instanceof Error && (isAuthors || cause instanceof TypeError || cause instanceof ReferenceError)
      ? cause
      : null
  // What the author asked for and did not get has the author's call in its own stack.
  const refused = error instanceof RestError && error.status >= 500 ? error : null
  const place = placeIn((slip ?? refused)?.stack) ?? (error as { tapped_at?: string }).tapped_at ?? null
  return place === null ? '' : ` (${place})`
}
