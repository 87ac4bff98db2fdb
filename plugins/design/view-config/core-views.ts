import type { Branding } from '../../../kernel/index.ts'
import type { ViewFilter, NamedView, ViewConfig, ViewConfigs } from './service.ts'

/** Statuses that have a separate view. */
const STATUSES: readonly (readonly [slug: string, title: string, status: string])[] = [
  ['published', 'Published', 'publish'],
  ['future', 'Scheduled', 'future'],
  ['drafts', 'Drafts', 'draft'],
  ['pending', 'Pending', 'pending'],
  ['private', 'Private', 'private'],
  ['trash', 'Trash', 'trash'],
]

const LAYOUTS = { table: {}, grid: {}, list: {} }

/** Returns the views of a list of posts: all posts, and one view for each status. */
function byStatus(all: string): NamedView[] {
  const limited = STATUSES.map(([slug, title, value]): NamedView => {
    const filter: ViewFilter = { field: 'status', operator: 'isAny', value: [value], isLocked: true }
    return { title, slug, view: { filters: [filter] } }
  })
  return [{ title: all, slug: 'all' }, ...limited]
}

function pages(): Partial<ViewConfig> {
  return {
    default_view: {
      type: 'list',
      filters: [],
      perPage: 20,
      sort: { field: 'title', direction: 'asc' },
      showLevels: true,
      titleField: 'title',
      mediaField: 'featured_media',
      fields: ['author', 'status'],
    },
    default_layouts: LAYOUTS,
    view_list: byStatus('All pages'),
    form: {
      layout: { type: 'panel' },
      fields: ['featured_media', 'status', 'author', 'date', 'slug', 'parent', 'comment_status', 'template'],
    },
  }
}

/** Returns the view of design content: a grid with previews. */
function designed(title: string, fields: readonly string[]): Partial<ViewConfig> {
  return {
    default_view: {
      type: 'grid',
      filters: [],
      perPage: 20,
      sort: { field: 'title', direction: 'asc' },
      titleField: 'title',
      mediaField: 'preview',
      descriptionField: 'description',
      fields,
    },
    default_layouts: LAYOUTS,
    view_list: [{ title, slug: 'all' }],
  }
}

/** Registers the views of the built-in content types. */
export function registerCoreViews(views: ViewConfigs, { typeName }: Branding): void {
  const posts = {
    view_list: byStatus('All posts'),
    form: { layout: { type: 'panel' }, fields: ['status', 'author', 'date', 'slug'] },
  }
  views.register('postType', 'post', posts)
  views.register('postType', 'page', pages())
  views.register('postType', typeName('template'), designed('All templates', ['author', 'active']))
  views.register('postType', typeName('template_part'), designed('All template parts', ['author', 'area']))
  views.register('postType', typeName('block'), designed('All patterns', ['sync-status']))
  views.register('postType', typeName('navigation'), { view_list: [{ title: 'All navigations', slug: 'all' }] })
}
