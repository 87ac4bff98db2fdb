/** Prints a log line in readable form: message, failed request, plugin, and stack of the error. */
export function printLogLine(line: string): void {
  const { msg, plugin, method, url, route, err } = JSON.parse(line) as LogLine
  const request = [method, url ?? route].filter(Boolean).join(' ')
  const about = [plugin && `plugin ${plugin}`, request].filter(Boolean).join(', ')
  const stack = err === undefined ? '' : `\n${err.stack ?? `${err.type}: ${err.message}`}`
  console.error(`${msg ?? ''}${about === '' ? '' : ` (${about})`}${stack}`)
}

interface LogLine {
  readonly msg?: string
  readonly plugin?: string
  readonly method?: string
  readonly url?: string
  readonly route?: string
  readonly err?: { readonly type: string; readonly message: string; readonly stack?: string }
}
