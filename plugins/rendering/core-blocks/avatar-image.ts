import { escapeHtml } from '../../library/markup/index.ts'
import type { Rendering } from './renderer.ts'

/** Maximum size of an avatar. */
const MAX_AVATAR_PIXELS = 512

/** Avatar to show, and the attributes of its image. */
export interface AvatarOf {
  email: string
  /** Plain text. */
  alt: string
  /** Classes in addition to the default ones. */
  class?: string
  style?: string
}

/** Renders the avatar of a user or a comment author; `''` if the site does not show avatars. */
export async function avatarImage(
  { email, alt, class: more = '', style = '' }: AvatarOf,
  pixels: number,
  { isPreview, plugin, post }: Rendering,
): Promise<string> {
  const { avatars, options } = plugin.services
  if (!(await options.get<boolean>('show_avatars', true))) return ''
  const size = Math.min(Math.max(Math.round(pixels), 1), MAX_AVATAR_PIXELS)
  const url = (pixels: number) => escapeHtml(avatars.url(email, pixels)).replaceAll('&amp;', '&#038;')
  const classes = `avatar avatar-${size} photo${more === '' ? '' : ` ${more}`}`
  // As in WordPress, avatars in the content of posts are not loaded lazily.
  const isInContent = post !== null && !isPreview
  const loading = isInContent ? '' : `${style === '' ? '' : ' '}loading='lazy' decoding='async'`
  const styled = style === '' ? '' : ` style="${escapeHtml(style)}"`
  return (
    `<img alt='${escapeHtml(alt)}' src='${url(size)}' srcset='${url(2 * size)} 2x' class='${classes}' ` +
    `height='${size}' width='${size}' ${styled}${loading}/>`
  )
}
