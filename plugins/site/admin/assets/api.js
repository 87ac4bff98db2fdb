// Client of the REST API, as the user of the page.

const { dataset } = document.body
let nonce = dataset['nonce'] ?? ''

/** An error of the REST API. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {{ code?: string, message?: string, data?: Record<string, unknown> } | null} body
   * @param {string | null} id request ID, which is added to messages of server errors (5xx)
   */
  constructor(status, body, id = null) {
    const message = body?.message ?? `The server responded with ${status}.`
    super(status >= 500 && id !== null ? `${message} Request ID: ${id}` : message)
    this.status = status
    this.code = body?.code ?? ''
    this.data = body?.data ?? {}
  }
}

/**
 * Sends a request to the REST API. If its nonce has expired, fetches a new one and sends the request once more.
 * @param {string} path below the main namespace, `posts/12`, or a complete path, `/svc-site-health/v1/…`
 * @param {{ method?: string, json?: unknown, body?: BodyInit, headers?: Record<string, string>, signal?: AbortSignal,
 *   keepalive?: boolean }} [options]
 * @returns {Promise<{ data: any, status: number, headers: Headers }>}
 * @throws {ApiError} for a response with an error status, also if the session has ended
 */
export async function request(path, options = {}) {
  const response = await send(path, options)
  if (response.ok) return result(response)
  const error = await errorOf(response)
  if (error.code !== 'rest_cookie_invalid_nonce' || !(await renew())) throw error
  const again = await send(path, options)
  if (!again.ok) throw await errorOf(again)
  return result(again)
}

/**
 * Returns the URL of a route and the header with the nonce, for requests without `request`.
 * @param {string} path
 */
export function routeOf(path) {
  const route = path.startsWith('/') ? path.slice(1) : `${dataset['namespace']}/${path}`
  const base = dataset['rest'] ?? '/'
  // Without pretty permalinks, the route is a query parameter.
  const url = base.includes('?') ? base + route.replace('?', '&') : base + route
  return { url, header: dataset['nonceHeader'] ?? '', nonce }
}

/** Fetches a new nonce; returns false if the session has ended. */
export async function renew() {
  const response = await fetch(dataset['nonceUrl'] ?? '', { credentials: 'same-origin' })
  if (!response.ok) return false
  nonce = await response.text()
  return true
}

/**
 * @param {string} path
 * @param {Parameters<typeof request>[1]} options
 */
function send(path, { json, headers = {}, ...options } = {}) {
  const { url, header } = routeOf(path)
  const sent = new Headers({ ...headers, [header]: nonce })
  if (json === undefined) return fetch(url, { credentials: 'same-origin', ...options, headers: sent })
  sent.set('content-type', 'application/json')
  return fetch(url, { credentials: 'same-origin', ...options, headers: sent, body: JSON.stringify(json) })
}

/** @param {Response} response */
async function errorOf(response) {
  return new ApiError(response.status, await response.json().catch(() => null), response.headers.get('x-request-id'))
}

/** @param {Response} response */
async function result(response) {
  const data = response.status === 204 ? null : await response.json()
  return { data, status: response.status, headers: response.headers }
}
