import { decodePath, messageOf, type PluginContext } from '../../../kernel/index.ts'
import { isTooOften } from '../../foundation/outgoing/index.ts'
import { errors } from './errors.ts'
import type { Upload } from './files/upload.ts'

/**
 * Fetches an image from another server. Its type is checked later, when it is stored.
 * @throws rest_invalid_url for a URL that must not be fetched, rest_upload_sideload_error,
 * rest_too_many_outgoing_requests
 */
export async function fetchImage({ config, log, services }: PluginContext, url: string, user: number): Promise<Upload> {
  const options = { headers: { accept: 'image/*' }, size: config.limits.bodyLimit, redirects: 5, requester: user }
  const response = await services.outgoing.request(url, options).catch((cause: unknown) => {
    if (isTooOften(cause)) throw cause
    const code = cause instanceof Error && 'code' in cause ? cause.code : ''
    log.debug({ reason: messageOf(cause) }, 'could not fetch an image')
    const isRefused = code === 'OUTGOING_ADDRESS_REFUSED' || code === 'OUTGOING_URL_INVALID'
    throw isRefused ? errors.rest_invalid_url() : errors.rest_upload_sideload_error('the request to its server failed')
  })
  if (response.status !== 200)
    throw errors.rest_upload_sideload_error(`its server responded with status ${response.status}`)
  const { pathname } = new URL(response.url)
  const name = decodePath(pathname.slice(pathname.lastIndexOf('/') + 1)) ?? ''
  // Other extensions, such as .php, are dropped: the content then decides the type.
  return {
    name: /\.(?:jpe?g|jpe|png|gif|webp|avif|heic|heif)$/i.test(name) ? name : name.replace(/\.[^.]*$/, '') || 'image',
    data: response.body,
  }
}
