import { escapeHtml } from '../../library/markup/index.ts'
import type { Rendering } from './renderer.ts'

/** How large an avatar may be, in pixels. */
const MAX_AVATAR_PIXELS = 512

/** Whose avatar it is. */
export interface AvatarOf {
  email: string
  /** What stands for the image, as plain text. */
  alt: string
  /** Classes besides those of every avatar. */
  class?: string
  style?: string
}

/** The image of a user, or of somebody who has commented; `''` where the site shows none. */
export async function avatarImage(
  { email, alt, class: more = '', style = '' }: AvatarOf,
  given: number,
  { plugin }: Rendering,
): Promise<string> {
  const { avatars, options } = plugin.services
  if (!(await options.get<boolean>('show_avatars', true))) return ''
  const size = Math.min(Math.max(Math.round(given), 1), MAX_AVATAR_PIXELS)
  const url = (pixels: number) => escapeHtml(avatars.url(email, pixels)).replaceAll('&amp;', '&#038;')
  const classes = `avatar avatar-${size} photo${more === '' ? '' : ` ${more}`}`
  const styled = style === '' ? '' : ` style='${escapeHtml(style)}'`
  return (
    `<img alt='${escapeHtml(alt)}' src='${url(size)}' srcset='${url(2 * size)} 2x' class='${classes}' ` +
    `height='${size}' width='${size}'${styled} loading='lazy' decoding='async'/>`
  )
}
