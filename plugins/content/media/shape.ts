import { decodePath, type PluginContext, type RestRequest } from '../../../kernel/index.ts'
import type { Selection } from '../../resources/index.ts'
import type { LeanPost, ListedPost, Post } from '../posts/index.ts'
import { dimensionsOf, isImage, type AttachmentData } from './attachment-data.ts'
import { fileMarkup, markupForm } from './images/image-markup.ts'
import { FULL_SIZE } from './images/image-sizes.ts'
import { IMAGE_QUALITY } from './images/image-versions.ts'
import { playerMarkup } from './shortcodes/player.ts'

/** The size in which a description shows an image. */
const DESCRIPTION_SIZE = 'medium'
/** Fields that are made of the file. */
const FILE_FIELDS = ['alt_text', 'media_details', 'source_url', 'missing_image_sizes', 'filename', 'filesize', 'exif_orientation'] // prettier-ignore

/** What attachments show beside what every post does. */
export class MediaShape {
  readonly #plugin: PluginContext

  /** @param plugin the context of the media plugin */
  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  async data(post: LeanPost, selection: Selection, { scope }: RestRequest): Promise<Record<string, unknown>> {
    const { media } = this.#plugin.services
    const file = FILE_FIELDS.some((field) => selection.has(field)) ? await media.data(post, scope) : undefined
    return selection.read({
      alt_text: () => file?.alt,
      media_type: () => (isImage(post) ? 'image' : 'file'),
      mime_type: () => post.mime_type,
      media_details: () => file && detailsOf(file),
      post: () => (post.parent_id === 0 ? null : post.parent_id),
      source_url: () => file?.url,
      missing_image_sizes: () => file && media.missingSizes(post, file),
      filename: () => nameIn(file?.url ?? ''),
      filesize: () => Number(file?.details['filesize']) || null,
      ...(isImage(post) && {
        exif_orientation: () => orientationOf(file?.details ?? {}),
        image_quality: () => ({ default: IMAGE_QUALITY, sizes: [] }),
        image_output_format: () => null,
        image_save_progressive: () => false,
      }),
    })
  }

  /** Description and caption. */
  async texts(listed: ListedPost, selection: Selection, request: RestRequest): Promise<Record<string, unknown>> {
    const { contentRendering: rendering } = this.#plugin.services
    // A list has read the texts where the request selects one of them.
    const post = listed as Post
    const [description, caption] = await Promise.all([
      selection.has('description.rendered') ? this.#description(post, request) : '',
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

  /** The file itself, followed by the text. */
  async #description(post: Post, { scope }: RestRequest): Promise<string> {
    const { media, contentRendering: rendering } = this.#plugin.services
    const [data, title, text] = await Promise.all([
      media.data(post, scope),
      rendering.title(post),
      rendering.content(post, scope),
    ])
    return this.#shownFile(post, data, title, text)
  }

  #shownFile(post: Post, data: AttachmentData, title: string, text: string): string {
    const { branding, services } = this.#plugin
    const { imageSizes } = services
    if (data.url === '') return text
    const kind = post.mime_type.split('/', 1)[0]
    if (kind === 'audio' || kind === 'video') {
      const { width = 0, height = 0 } = dimensionsOf(data.details) ?? {}
      const player = { urls: [data.url] as [string], post: post.id, number: 1 }
      const attributes = { width: String(width), height: String(height) }
      return `${playerMarkup(branding.blockMark, kind, player, attributes)}\n${text}`
    }
    return `${fileMarkup(post, data, title, imageSizes.get(DESCRIPTION_SIZE) ?? FULL_SIZE, markupForm(this.#plugin))}${text}`
  }
}

/** The details of a file, with what users have said of the image; existing clients see no more than they know. */
function detailsOf({ details, focalPoint, isDecorative }: AttachmentData): Record<string, unknown> {
  if (focalPoint === null && !isDecorative) return details
  return {
    ...details,
    ...(focalPoint !== null && { focal_point: focalPoint }),
    ...(isDecorative && { decorative: true }),
  }
}

/** The name of a file by its URL; null without any. */
function nameIn(url: string): string | null {
  const name = url.slice(url.lastIndexOf('/') + 1)
  return name === '' ? null : (decodePath(name) ?? name)
}

/** How an image lies; an upload that nobody has turned says it where it came from a camera. */
function orientationOf({ image_meta: meta }: Readonly<Record<string, unknown>>): number {
  const orientation = Number((meta as { orientation?: unknown } | undefined)?.orientation)
  return orientation >= 1 && orientation <= 8 ? orientation : 1
}
