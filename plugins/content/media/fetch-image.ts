import { decodePath, messageOf, type PluginContext } from '../../../kernel/index.ts'
import { isTooOften } from '../../foundation/outgoing/index.ts'
import { errors } from './errors.ts'
import type { Upload } from './files/upload.ts'

/**
 * Fetches an image from another server. What it is, is found out when it is stored.
 * @throws rest_invalid_url for a place that is not asked, rest_upload_sideload_error, rest_too_many_outgoing_requests
 */
export async function fetchImage({ config, log, services }: PluginContext, url: string, user: number): Promise<Upload> {
  const options = { headers: { accept: 'image/*' }, size: config.limits.bodyLimit, redirects: 5, asker: user }
  const response = await services.outgoing.request(url, options).catch((cause: unknown) => {
    if (isTooOften(cause)) throw cause
    const code = cause instanceof Error && 'code' in cause ? cause.code : ''
    log.debug({ reason: messageOf(cause) }, 'an image could not be fetched')
    const isRefused = code === 'OUTGOING_ADDRESS_REFUSED' || code === 'OUTGOING_URL_INVALID'
    throw isRefused ? errors.rest_invalid_url() : errors.rest_upload_sideload_error('its server does not send it')
  })
  if (response.status !== 200) throw errors.rest_upload_sideload_error(`its server answers with ${response.status}`)
  const { pathname } = new URL(response.url)
  const name = decodePath(pathname.slice(pathname.lastIndexOf('/') + 1)) ?? ''
  // A name that tells nothing, such as that of a program, is left to what the file holds.
  return {
    name: /\.(?:jpe?g|jpe|png|gif|webp|avif|heic|heif)$/i.test(name) ? name : name.replace(/\.[^.]*$/, '') || 'image',
    data: response.body,
  }
}
