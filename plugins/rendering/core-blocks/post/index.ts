import type { Renderer } from '../renderer.ts'
import { renderAuthor, renderAuthorBiography, renderAuthorName } from './author.ts'
import { renderAvatar } from './avatar.ts'
import { renderBreadcrumbs } from './breadcrumbs.ts'
import { renderCommentsCount, renderCommentsLink } from './comments.ts'
import { renderPostContent } from './content.ts'
import { renderPostDate } from './date.ts'
import { renderPostExcerpt } from './excerpt.ts'
import { renderFeaturedImage } from './featured-image.ts'
import { renderFootnotes } from './footnotes.ts'
import { renderPostNavigationLink } from './navigation-link.ts'
import { renderPostTerms } from './terms.ts'
import { renderTimeToRead } from './time-to-read.ts'
import { renderPostTitle, renderReadMore } from './title.ts'
import { renderVideo } from './video.ts'

/** Renderers of blocks that show a post, by name. */
export const postRenderers: Readonly<Record<string, Renderer>> = {
  avatar: renderAvatar,
  breadcrumbs: renderBreadcrumbs,
  footnotes: renderFootnotes,
  'post-author': renderAuthor,
  'post-author-biography': renderAuthorBiography,
  'post-author-name': renderAuthorName,
  'post-comments-count': renderCommentsCount,
  'post-comments-link': renderCommentsLink,
  'post-content': renderPostContent,
  'post-date': renderPostDate,
  'post-excerpt': renderPostExcerpt,
  'post-featured-image': renderFeaturedImage,
  'post-navigation-link': renderPostNavigationLink,
  'post-terms': renderPostTerms,
  'post-time-to-read': renderTimeToRead,
  'post-title': renderPostTitle,
  'read-more': renderReadMore,
  video: renderVideo,
}
