import { definePlugin } from '../../../kernel/index.ts'
import { sanitizeValue } from '../../requests/arguments/index.ts'
import cors, { type CorsOptions } from '../cors.ts'

const METHODS = 'POST, GET, OPTIONS, PUT, DELETE'

/** Cross-origin headers of revision 4.4: without PATCH, and with the origin `null` sanitized as a URL. */
export default definePlugin<CorsOptions>({
  ...cors,
  name: 'old-cors',
  async apply(context, options) {
    await cors.apply(context, options)
    context.hooks.rest_pre_serve_request.tap('old-cors', (served, { response: { headers } }) => {
      const origin = headers.get('Access-Control-Allow-Origin')
      if (origin === null) return served
      headers.set('Access-Control-Allow-Origin', String(sanitizeValue(origin, { type: 'string', format: 'uri' })))
      headers.set('Access-Control-Allow-Methods', METHODS)
      return served
    })
  },
})
