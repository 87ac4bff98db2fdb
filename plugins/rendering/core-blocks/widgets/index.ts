import type { Renderer } from '../renderer.ts'
import { renderArchives } from './archives.ts'
import { renderCalendar } from './calendar.ts'
import { renderCategories } from './categories.ts'
import { renderLegacyWidget, renderShortcode, renderWidgetGroup } from './inside.ts'
import { renderLatestComments } from './latest-comments.ts'
import { renderLatestPosts } from './latest-posts.ts'
import { renderRss } from './rss.ts'
import { renderSearch } from './search.ts'
import { renderTagCloud } from './tag-cloud.ts'

/** Renderers of blocks that replace widgets, by name. */
export const widgetRenderers: Readonly<Record<string, Renderer>> = {
  archives: renderArchives,
  calendar: renderCalendar,
  categories: renderCategories,
  'latest-comments': renderLatestComments,
  'latest-posts': renderLatestPosts,
  'legacy-widget': renderLegacyWidget,
  rss: renderRss,
  search: renderSearch,
  shortcode: renderShortcode,
  'tag-cloud': renderTagCloud,
  'widget-group': renderWidgetGroup,
}
