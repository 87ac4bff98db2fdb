import { inspect } from 'node:util'
import { hideSecretsIn, placeIn } from '../config/index.ts'
import { RestError } from '../../kernel/index.ts'

/** Returns the error of a command whose plugin is switched off. */
export function switchedOff(plugin: string): Error {
  return new Error(`The plugin ${plugin} is switched off in this config.`)
}

/**
 * Prints to stderr, in one paragraph, why a command failed.
 * @returns the exit code
 */
export function printFailure(error: unknown): 1 {
  console.error(failureText(error))
  return 1
}

/** Returns the text that `printFailure` prints: the message without secrets, or with SVC_DEBUG the whole error. */
export function failureText(error: unknown): string {
  const debug = process.env['SVC_DEBUG'] === 'true' || process.env['SVC_DEBUG'] === '1'
  return hideSecretsIn(debug ? inspect(error) : messageOf(error))
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, path } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' && path !== undefined) return `There is no file ${path}.`
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `${error.message}. --help lists the flags.`
  const message = error.message || String(code ?? error.name)
  // The message of TAP_FAILED names the tap. The reason is in its cause.
  if (error instanceof RestError && error.code === 'TAP_FAILED')
    return `${message} ${messageOf(error.cause)}${placeOf(error)}`
  return `${message}${placeOf(error)}`
}

/** Returns `failureText` with the place in a plugin author's code where the error started, for all kinds of errors. */
export function failureWithPlace(error: unknown): string {
  const text = failureText(error)
  const { cause } = error as Error
  const place = /:\d+:\d+\)/.test(text) || !(cause instanceof Error) ? null : placeIn(cause.stack)
  return place === null ? text : `${text} (${place})`
}

/** Codes of errors whose cause was thrown by the code of a plugin. */
const PLUGIN_CODE_ERRORS: ReadonlySet<string> = new Set(['PLUGIN_FAILED', 'PLUGIN_UNLOADABLE'])

/** The place of a mistake in a plugin's code as ` (file:line:column)`; '' if the error is not a plugin author's mistake. */
function placeOf(error: Error): string {
  const { cause } = error
  const isAuthors = PLUGIN_CODE_ERRORS.has((error as { code?: string }).code ?? '')
  const mistake =
    cause instanceof Error && (isAuthors || cause instanceof TypeError || cause instanceof ReferenceError)
      ? cause
      : null
  // The stack of an error with status 500 contains the plugin's call that was rejected.
  const rejected = error instanceof RestError && error.status >= 500 ? error : null
  const place = placeIn((mistake ?? rejected)?.stack) ?? (error as { tapped_at?: string }).tapped_at ?? null
  return place === null ? '' : ` (${place})`
}
