import { defineErrors, definePlugin, RestError, type RestRequest } from '../../kernel/index.ts'

export interface JsonpOptions {
  /** Whether pages can load responses with a `<script>` through `_jsonp=callback`. */
  enabled: boolean
}

const errors = defineErrors({
  rest_callback_disabled: [
    400,
    'JSONP support is disabled on this site. Leave out _jsonp, or set the option enabled of the plugin jsonp.',
  ],
  rest_callback_invalid: [400, 'Invalid JSONP callback. Use up to 64 letters, digits, underscores and dots.'],
  rest_callback_forbidden: [403, 'JSONP responses are not available to logged-in users.'],
})

/** Responds to `_jsonp=callback` with a script that calls the function. For visitors only, and disabled by default. */
export default definePlugin<JsonpOptions>({
  name: 'jsonp',
  options: { enabled: { default: false, type: 'boolean' } },
  apply({ hooks }, { enabled }) {
    const callbackOf = (request: RestRequest) => {
      const callback = isRead(request) ? request.query['_jsonp'] : undefined
      return enabled && typeof callback === 'string' && /^[\w.]{1,64}$/.test(callback) ? callback : null
    }
    const isScript = (request: RestRequest) => callbackOf(request) !== null && request.user.id === 0

    // Runs before the handler, when the user is known.
    hooks.rest_authentication_errors.tap({ name: 'jsonp', stage: 100 }, (result, request) => {
      if (request.query['_jsonp'] === undefined || !isRead(request) || result instanceof RestError) return result
      if (!enabled) return errors.rest_callback_disabled()
      if (callbackOf(request) === null) return errors.rest_callback_invalid()
      return request.user.id === 0 ? result : errors.rest_callback_forbidden()
    })
    if (!enabled) return
    hooks.rest_pre_serve_request.tap({ name: 'jsonp', stage: -100 }, (served, { request, response }) => {
      if (isScript(request)) response.headers.set('Content-Type', 'application/javascript; charset=UTF-8')
      return served
    })
    // The comment keeps clients from choosing the first bytes of the file.
    hooks.rest_encoded_response.tap('jsonp', (text, request) =>
      isScript(request) ? `/**/${String(callbackOf(request))}(${text})` : text,
    )
  },
})

/** HEAD responds as GET does. */
function isRead({ method }: RestRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}
