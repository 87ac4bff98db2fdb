/** The prefix in the names that the editor uses. */
export const EDITOR_WORD = 'wp'

/**
 * Complete names with the prefix: `svc_block`, `svc:term`, `svc/v2`, `_svc_note_status`; and paths that begin with one.
 */
const NAMES =
  'template|template_part|block|navigation|global_styles|pattern_category|pattern_sync_status|font_family|font_face|theme|note_status|template_part_area'

/** Keys of user texts, which contain no names to translate. */
const TEXTS = new Set([
  'raw',
  'rendered',
  'content',
  'title',
  'excerpt',
  'description',
  'caption',
  'alt_text',
  'search',
  'styles',
  'settings',
  'name_text',
])

/** Returns functions that replace the prefix of names, in JSON values and in strings. */
function translator(from, to) {
  const name = new RegExp(`^(_?)${from}_(${NAMES})$`)
  const place = new RegExp(`^(/?)${from}(-block-editor|-abilities)?/(v\\d)(?=[/?]|$)`)
  const relation = new RegExp(`^${from}:(?=[a-z])`)
  const text = (value) => value.replace(name, `$1${to}_$2`).replace(relation, `${to}:`).replace(place, `$1${to}$2/$3`)
  const one = (value) => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(one)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [
        text(key),
        TEXTS.has(key) && typeof part === 'string' ? part : one(part),
      ]),
    )
  }
  return { one, text }
}

/** Translates the names in a path and its query. */
function pathOf(path, text) {
  const [before, query] = path.split('?', 2)
  const parts = text(before).split('/').map(text).join('/')
  if (query === undefined) return parts
  const pairs = query.split('&').map((pair) => {
    const [key, value] = pair.split('=', 2)
    if (value === undefined || key === 'search') return pair
    const plain = decodeURIComponent(value.replaceAll('+', ' '))
    const written = plain.split(',').map(text).join(',')
    return written === plain ? pair : `${key}=${encodeURIComponent(written)}`
  })
  return `${parts}?${pairs.join('&')}`
}

/**
 * Translates a value of the site, such as preloaded responses, to the names of the editor, including keys that are
 * paths.
 */
export function toEditor(word, value) {
  const { one, text } = translator(word, EDITOR_WORD)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return one(value)
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (key === 'OPTIONS') return [key, toEditor(word, part)]
      if (!key.startsWith('/')) return [text(key), one(part)]
      return [pathOf(key, text), { ...one(part), headers: headersOf(part.headers, word, EDITOR_WORD) }]
    }),
  )
}

function headersOf(headers, from, to) {
  const prefix = new RegExp(`^x-${from}-`, 'i')
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([key, value]) => [key.replace(prefix, `X-${to.toUpperCase()}-`), value]),
  )
}

/** Translates requests to the REST API of a site with another prefix, and translates the responses back. */
export function translateFetch(word, root) {
  const theirs = translator(EDITOR_WORD, word)
  const ours = translator(word, EDITOR_WORD)
  const { fetch } = globalThis
  globalThis.fetch = async (url, options = {}) => {
    if (typeof url !== 'string' || !url.startsWith(root)) return fetch(url, options)
    const path = pathOf(`/${url.slice(root.length)}`, theirs.text).slice(1)
    const headers = new Headers(headersOf(Object.fromEntries(new Headers(options.headers)), EDITOR_WORD, word))
    const isJson = typeof options.body === 'string' && headers.get('content-type')?.includes('json')
    const body = isJson ? JSON.stringify(requestOf(JSON.parse(options.body), theirs)) : options.body
    const response = await fetch(root + path, { ...options, headers, ...(body !== undefined && { body }) })
    const answered = headersOf(Object.fromEntries(response.headers), word, EDITOR_WORD)
    const isEmpty = response.status === 204 || response.status === 304
    if (isEmpty || !response.headers.get('content-type')?.includes('json')) {
      return new Response(isEmpty ? null : response.body, { status: response.status, headers: answered })
    }
    const value = ours.one(await response.json())
    return new Response(JSON.stringify(value), { status: response.status, headers: answered })
  }
}

/** Translates a request body, including the paths of a batch. */
function requestOf(value, { one, text }) {
  const body = one(value)
  if (!Array.isArray(body?.requests)) return body
  return { ...body, requests: body.requests.map((part) => ({ ...part, path: pathOf(part.path, text) })) }
}

/** Translates the beacon with which the editor releases the lock of a post when its page is closed. */
export function translateBeacons(word, ajaxUrl) {
  const send = navigator.sendBeacon.bind(navigator)
  navigator.sendBeacon = (url, data) => {
    if (url !== ajaxUrl || !(data instanceof FormData)) return send(url, data)
    const form = new FormData()
    for (const [key, value] of data) {
      const name = key === `_${EDITOR_WORD}nonce` ? `_${word}nonce` : key
      const isAction = key === 'action' && typeof value === 'string' && value.startsWith(`${EDITOR_WORD}-`)
      form.set(name, isAction ? word + value.slice(EDITOR_WORD.length) : value)
    }
    return send(url, form)
  }
}
