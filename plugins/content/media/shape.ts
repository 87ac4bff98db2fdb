import type { PluginContext, RestRequest, Selection } from '../../../kernel/index.ts'
import type { LeanPost, ListedPost, Post } from '../posts/index.ts'
import { dimensionsOf, isImage } from './attachment-data.ts'
import { fileMarkup } from './images/image-markup.ts'
import { FULL_SIZE } from './images/image-sizes.ts'
import { playerMarkup } from './shortcodes/player.ts'

/** The size in which a description shows an image. */
const DESCRIPTION_SIZE = 'medium'
/** Fields that are made of the file. */
const FILE_FIELDS = ['alt_text', 'media_details', 'source_url', 'missing_image_sizes']

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
    return selection.pick({
      alt_text: file?.alt,
      media_type: isImage(post) ? 'image' : 'file',
      mime_type: post.mime_type,
      media_details: file?.details,
      post: post.parent_id === 0 ? null : post.parent_id,
      source_url: file?.url,
      missing_image_sizes: file && media.missingSizes(post, file),
    })
  }

  /** Description and caption. */
  async texts(listed: ListedPost, selection: Selection, request: RestRequest): Promise<Record<string, unknown>> {
    const { rendering } = this.#plugin.services
    // A list has read the texts where the request selects one of them.
    const post = listed as Post
    const texts: Record<string, unknown> = {}
    if (selection.has('description')) {
      const rendered = selection.has('description.rendered') ? await this.#description(post, request) : ''
      texts['description'] = selection.parts('description', { raw: post.content, rendered })
    }
    if (selection.has('caption')) {
      const rendered = selection.has('caption.rendered') ? await rendering.writtenExcerpt(post) : ''
      texts['caption'] = selection.parts('caption', { raw: post.excerpt, rendered })
    }
    return texts
  }

  /** The file itself, followed by the text. */
  async #description(post: Post, { scope }: RestRequest): Promise<string> {
    const { branding, services } = this.#plugin
    const { imageSizes, media, rendering } = services
    const [data, title, text] = await Promise.all([
      media.data(post, scope),
      rendering.title(post),
      rendering.content(post, scope),
    ])
    if (data.url === '') return text
    const kind = post.mime_type.split('/', 1)[0]
    if (kind === 'audio' || kind === 'video') {
      const { width = 0, height = 0 } = dimensionsOf(data.details) ?? {}
      const player = { urls: [data.url] as [string], post: post.id, number: 1 }
      const attributes = { width: String(width), height: String(height) }
      return `${playerMarkup(branding.blockMark, kind, player, attributes)}\n${text}`
    }
    return `${fileMarkup(post, data, title, imageSizes.get(DESCRIPTION_SIZE) ?? FULL_SIZE)}${text}`
  }
}
