/** Large responses that seldom change: cached in sessionStorage and revalidated with their ETag. */
const CACHED_PATHS = /^\/wp\/v2\/block-patterns\/patterns(?:\?|$)/

/** Revalidates a cached response instead of downloading it again. */
export async function revalidate(options, next) {
  const { path = '', method = 'GET', parse = true } = options
  if (method !== 'GET' || !parse || !CACHED_PATHS.test(path)) return next(options)
  const cached = JSON.parse(sessionStorage.getItem(path) ?? 'null')
  const headers = { ...options.headers, ...(cached && { 'If-None-Match': cached.tag }) }
  try {
    const response = await next({ ...options, headers, parse: false })
    const text = await response.text()
    store(path, response.headers.get('etag'), text)
    return JSON.parse(text)
  } catch (error) {
    if (error?.status === 304 && cached) return JSON.parse(cached.text)
    if (error instanceof Response) throw await error.json()
    throw error
  }
}

function store(path, tag, text) {
  try {
    if (tag) sessionStorage.setItem(path, JSON.stringify({ tag, text }))
  } catch {
    // The storage is full: the next request downloads the response again.
  }
}
