// Sizes of images in the media library.
import { request } from '../api.js'

/**
 * Returns the URL of an image in a size, or null if the library does not have it.
 * @param {unknown} id
 * @param {string} size `medium`
 * @returns {Promise<string | null>}
 */
export async function sizeUrl(id, size) {
  if (typeof id !== 'number') return null
  try {
    const { data } = await request(`media/${id}?_fields=source_url,media_details`)
    return data.media_details?.sizes?.[size]?.source_url ?? data.source_url ?? null
  } catch {
    return null
  }
}
