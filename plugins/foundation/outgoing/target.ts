import { errors } from './errors.ts'

/** Most servers reject longer URLs. */
const MAX_URL_LENGTH = 8192

/**
 * Parses the URL of a request like a browser, so that numeric hosts in any notation become addresses.
 * @param base base of a relative URL
 * @throws OUTGOING_URL_INVALID
 */
export function targetOf(url: string | URL, base?: URL): URL {
  const text = String(url)
  if (text.length > MAX_URL_LENGTH) throw errors.OUTGOING_URL_INVALID(`it is longer than ${MAX_URL_LENGTH} characters`)
  const target = URL.parse(text, base)
  if (target === null) throw errors.OUTGOING_URL_INVALID('it is none: write it with https:// and a host')
  if (target.protocol !== 'https:' && target.protocol !== 'http:') {
    throw errors.OUTGOING_URL_INVALID(`its scheme is ${target.protocol.slice(0, -1)}: only http and https are asked`)
  }
  if (target.username !== '' || target.password !== '') {
    throw errors.OUTGOING_URL_INVALID('it holds a login or a password: send them in a header')
  }
  if (target.port === '0') throw errors.OUTGOING_URL_INVALID('its port is 0')
  target.hash = ''
  return target
}
