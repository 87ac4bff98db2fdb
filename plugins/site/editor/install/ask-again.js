/** Large responses that seldom change: cached in sessionStorage and revalidated with their ETag. */
const KEPT = /^\/wp\/v2\/block-patterns\/patterns(?:\?|$)/

/** Revalidates a cached response instead of downloading it again. */
export async function askAgain(options, next) {
  const { path = '', method = 'GET', parse = true } = options
  if (method !== 'GET' || !parse || !KEPT.test(path)) return next(options)
  const kept = JSON.parse(sessionStorage.getItem(path) ?? 'null')
  const headers = { ...options.headers, ...(kept && { 'If-None-Match': kept.tag }) }
  try {
    const response = await next({ ...options, headers, parse: false })
    const text = await response.text()
    keep(path, response.headers.get('etag'), text)
    return JSON.parse(text)
  } catch (error) {
    if (error?.status === 304 && kept) return JSON.parse(kept.text)
    if (error instanceof Response) throw await error.json()
    throw error
  }
}

function keep(path, tag, text) {
  try {
    if (tag) sessionStorage.setItem(path, JSON.stringify({ tag, text }))
  } catch {
    // The storage is full: the next request downloads the response again.
  }
}
