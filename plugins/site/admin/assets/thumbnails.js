// Thumbnails of files of the media library.

/** @typedef {import('./media-upload.js').Attachment} Attachment */

/**
 * Returns the URL of a small version of an image; '' for other files.
 * @param {Attachment} attachment
 */
export function thumbnailOf({ mime_type: type, media_details: details, source_url: url }) {
  if (!type.startsWith('image/')) return ''
  const { thumbnail, medium } = details.sizes ?? {}
  return (thumbnail ?? medium)?.source_url ?? url
}
