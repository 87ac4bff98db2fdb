import { decodePath, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import type { Selection } from '../../resources/index.ts'
import type { LeanPost, ListedPost, Post } from '../posts/index.ts'
import { dimensionsOf, isImage, type AttachmentData } from './attachment-data.ts'
import { fileMarkup, markupForm } from './images/image-markup.ts'
import { FULL_SIZE } from './images/image-sizes.ts'
import { qualityOf } from './images/image-versions.ts'
import { hasPlayerShim, playerMarkup } from './shortcodes/player.ts'

/** Size of the image in a description. */
const DESCRIPTION_SIZE = 'medium'
/** Fields that need the data of the file. */
const FILE_FIELDS = [
  'alt_text',
  'media_details',
  'source_url',
  'missing_image_sizes',
  'filename',
  'filesize',
  'exif_orientation',
  'description.rendered',
]

/** Checks whether the selection includes a field that needs the data of the file. */
export function showsFile({ shown }: Selection): boolean {
  return FILE_FIELDS.some((field) => shown.has(field))
}

/** Builds the fields specific to attachments. */
export class MediaShape {
  readonly #plugin: PluginContext

  /** @param plugin the context of the media plugin */
  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** @param file data of the file; undefined unless `showsFile` is true for the selection */
  data(post: LeanPost, file: AttachmentData | undefined, { shown }: Selection): Record<string, unknown> {
    const { media } = this.#plugin.services
    const data: Record<string, unknown> = {}
    if (shown.has('alt_text')) data['alt_text'] = file?.alt
    if (shown.has('media_type')) data['media_type'] = isImage(post) ? 'image' : 'file'
    if (shown.has('mime_type')) data['mime_type'] = post.mime_type
    if (shown.has('media_details')) data['media_details'] = file && detailsOf(file)
    if (shown.has('post')) data['post'] = post.parent_id === 0 ? null : post.parent_id
    if (shown.has('source_url')) data['source_url'] = file?.url
    if (shown.has('missing_image_sizes')) data['missing_image_sizes'] = file && media.missingSizes(post, file)
    if (shown.has('filename')) data['filename'] = originalName(file)
    if (shown.has('filesize')) data['filesize'] = Number(file?.details['filesize']) || null
    if (!isImage(post)) return data
    if (shown.has('exif_orientation')) data['exif_orientation'] = orientationOf(file?.details ?? {})
    if (shown.has('image_quality')) data['image_quality'] = { default: qualityOf(post.mime_type), sizes: [] }
    if (shown.has('image_output_format')) data['image_output_format'] = null
    if (shown.has('image_save_progressive')) data['image_save_progressive'] = false
    return data
  }

  /**
   * Builds description and caption. @param file data of the file; undefined unless `showsFile` is true for the
   * selection
   */
  async texts(
    listed: ListedPost,
    file: AttachmentData | undefined,
    selection: Selection,
    scope: RequestCache,
  ): Promise<Record<string, unknown>> {
    const { contentRendering: rendering } = this.#plugin.services
    // Lists load the texts if the request selects one of them.
    const post = listed as Post
    const [description, caption] = await Promise.all([
      file !== undefined && selection.has('description.rendered') ? this.#description(post, file, scope) : '',
      selection.has('caption.rendered') ? rendering.writtenExcerpt(post) : '',
    ])
    const texts: Record<string, unknown> = {}
    if (selection.has('description')) {
      texts['description'] = selection.parts('description', { raw: post.content, rendered: description })
    }
    if (selection.has('caption')) {
      texts['caption'] = selection.parts('caption', { raw: post.excerpt, rendered: caption })
    }
    return texts
  }

  /** Renders the file, followed by the description. */
  async #description(post: Post, file: AttachmentData, scope: RequestCache): Promise<string> {
    const { contentRendering: rendering } = this.#plugin.services
    const [title, text] = await Promise.all([rendering.title(post), rendering.content(post, scope)])
    return this.#shownFile(post, file, title, text)
  }

  #shownFile(post: Post, data: AttachmentData, title: string, text: string): string {
    const { branding, services } = this.#plugin
    const { imageSizes } = services
    if (data.url === '') return text
    const kind = post.mime_type.split('/', 1)[0]
    if (kind === 'audio' || kind === 'video') {
      const { width = 0, height = 0 } = dimensionsOf(data.details) ?? {}
      const player = { urls: [data.url] as [string], post: post.id, number: 1, hasShim: hasPlayerShim(this.#plugin) }
      const attributes = { width: String(width), height: String(height) }
      return `${playerMarkup(branding.blockMark, kind, player, attributes)}\n${text}`
    }
    return `${fileMarkup(post, data, title, imageSizes.get(DESCRIPTION_SIZE) ?? FULL_SIZE, markupForm(this.#plugin))}${text}`
  }
}

/** Adds the focal point and the decorative flag if they are set; otherwise clients get exactly the known fields. */
function detailsOf({ details, focalPoint, isDecorative }: AttachmentData): Record<string, unknown> {
  if (focalPoint === null && !isDecorative) return details
  return {
    ...details,
    ...(focalPoint !== null && { focal_point: focalPoint }),
    ...(isDecorative && { decorative: true }),
  }
}

/** Returns the name of the uploaded file, also if a smaller version of a large image is shown in its place. */
function originalName(file: AttachmentData | undefined): string | null {
  const original = file?.details['original_image']
  return typeof original === 'string' && original !== '' ? original : nameIn(file?.url ?? '')
}

/** Returns the file name in a URL, or null for an empty URL. */
function nameIn(url: string): string | null {
  const name = url.slice(url.lastIndexOf('/') + 1)
  return name === '' ? null : (decodePath(name) ?? name)
}

/** Returns the EXIF orientation, from 1 to 8; 1 (upright) if none is stored. */
function orientationOf({ image_meta: meta }: Readonly<Record<string, unknown>>): number {
  const orientation = Number((meta as { orientation?: unknown } | undefined)?.orientation)
  return orientation >= 1 && orientation <= 8 ? orientation : 1
}
