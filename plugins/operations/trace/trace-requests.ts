import type { PluginContext } from '../../../kernel/index.ts'
import { lineOf, serverTiming } from './log-lines.ts'
import { TracePage } from './page.ts'
import { errorOf, Recorder } from './recorder.ts'
import { RequestLog } from './request-log.ts'

/** Traces every request for the trace page, the log and `Server-Timing`. */
export async function traceRequests(plugin: PluginContext): Promise<void> {
  const { hooks, log, urls, onRemove, has } = plugin
  const requestLog = new RequestLog()
  const recorder = new Recorder(hooks, (request) => {
    requestLog.add(request)
    if (!request.fromCache) log.info(lineOf(request), 'trace')
  })
  onRemove(recorder.listen())
  hooks.rest_pre_serve_request.tap({ name: 'trace', stage: 2000 }, (served, { response }) => {
    const request = recorder.current()
    if (request === null) return served
    if (response.isError) request.error = errorOf(response)
    response.headers.set('Server-Timing', serverTiming(request.steps))
    return served
  })
  hooks.site_headers.tap({ name: 'trace', stage: 2000 }, (headers, { path }) => {
    const request = recorder.current()
    if (request === null) return
    request.path = path
    headers.set('Server-Timing', serverTiming(request.steps))
  })

  const page = await TracePage.load(plugin, requestLog)
  hooks.site_request.tap({ name: 'trace', stage: -100 }, (found, request) => {
    if (found !== null || !page.has(request) || !has('login') || !has('roles')) return found
    // Requests of the trace page itself are not traced.
    recorder.exclude()
    return page.respond(request)
  })
  hooks.server_listening.tap('trace', () => {
    if (has('login') && has('roles')) log.info({ page: urls.site(page.path) }, 'tracing requests, see the page')
  })
}
