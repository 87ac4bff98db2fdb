import type { PluginContext, RequestCache } from '../../../../kernel/index.ts'
import { mapInSlices } from '../../../library/long-work/index.ts'
import { escapeHtml } from '../../../library/markup/index.ts'
import type { ShortcodeCallback } from './callback.ts'
import type { Post } from '../../posts/index.ts'
import { dimensionsOf, type AttachmentData } from '../attachment-data.ts'
import { imageMarkup, markupForm } from '../images/image-markup.ts'
import { FULL_SIZE, type ImageSize } from '../images/image-sizes.ts'
import { galleryImages } from './gallery-images.ts'

/** Characters of HTML per image, including `srcset`. */
const CHARACTERS_PER_IMAGE = 800
/** Images that are rendered concurrently. */
const IMAGES_PER_BATCH = 100

/** Settings that all images of a gallery share. */
interface Gallery {
  /** ID of the element. */
  id: string
  size: ImageSize
  /** `file`, `none`, or any other value to link to the page of the image. */
  link: string | undefined
  prefix: string
  scope: RequestCache
}

/**
 * Creates the shortcode `gallery`: the images attached to the post, or the images listed in `ids`. `[gallery ids="4,7"
 * columns="2" size="medium" link="file"]` shows two images of medium size side by side, linked to their files.
 * `orderby` and `order` set the order, `link="none"` omits the links.
 * @param prefix of some class names
 */
export function galleryShortcode(plugin: PluginContext, prefix: string): ShortcodeCallback {
  return async (attributes, _content, { post, scope, number, claim }) => {
    const parent = Number.parseInt(attributes['id'] ?? '', 10) || post.id
    const allImages = await galleryImages(plugin, attributes, { parent, shownIn: post.id }, scope)
    const images = allImages.slice(0, Math.floor(claim(allImages.length * CHARACTERS_PER_IMAGE) / CHARACTERS_PER_IMAGE))
    if (images.length === 0) return ''
    const columns = Math.max(Number.parseInt(attributes['columns'] ?? '3', 10) || 0, 0)
    const size = plugin.services.imageSizes.get(attributes['size'] ?? 'thumbnail') ?? FULL_SIZE
    const gallery: Gallery = { id: `gallery-${number}`, size, link: attributes['link'], prefix, scope }
    const items = await mapInSlices(images, (image) => itemMarkup(plugin, image, gallery), IMAGES_PER_BATCH)
    const classes = `gallery galleryid-${parent} gallery-columns-${columns} gallery-size-${size.name}`
    return `<div id='${gallery.id}' class='${classes}'>${items.join('')}\n\t\t</div>\n`
  }
}

async function itemMarkup(
  plugin: PluginContext,
  image: Post,
  { id, size, link, prefix, scope }: Gallery,
): Promise<string> {
  const { media, permalinks, contentRendering: rendering } = plugin.services
  const data = await media.data(image, scope)
  const text = rendering.typography(image.excerpt.trim())
  const captionId = `${id}-${image.id}`
  const img = imageMarkup(data, size, markupForm(plugin), text === '' ? {} : { 'aria-describedby': captionId })
  const url = link === 'none' ? null : link === 'file' ? data.url : await permalinks.post(image, scope)
  const linked = url === null ? img : `<a href='${escapeHtml(url)}'>${img}</a>`
  const icon = `\n\t\t\t<div class='gallery-icon${orientationClass(data)}'>\n\t\t\t\t${linked}\n\t\t\t</div>`
  const caption = `\n\t\t\t\t<figcaption class='${prefix}-caption-text gallery-caption' id='${captionId}'>\n\t\t\t\t${text}\n\t\t\t\t</figcaption>`
  return `<figure class='gallery-item'>${icon}${text === '' ? '' : caption}</figure>`
}

function orientationClass({ details }: AttachmentData): string {
  const original = dimensionsOf(details)
  if (original === null) return ''
  return original.height > original.width ? ' portrait' : ' landscape'
}
