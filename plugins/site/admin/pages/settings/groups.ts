import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'

/** A page of settings. */
export interface Group {
  /** Last segment of its path; `''` for the first page. */
  readonly name: string
  /** In English. */
  readonly label: string
  readonly sections: readonly Section[]
}

/** A part of a page of settings. */
export interface Section {
  /** Heading in English; missing on pages with one section. */
  readonly label?: string
  /** Names of the settings in order; from the REST API, or known to the admin only. */
  readonly settings: readonly string[]
}

/** The default settings by page. All other registered settings are on a separate page. */
export const GROUPS: readonly Group[] = [
  {
    name: '',
    label: 'General',
    sections: [
      { label: 'Site identity', settings: ['title', 'description', 'url', 'email'] },
      {
        label: 'Language and time',
        settings: ['language', 'timezone', 'date_format', 'time_format', 'start_of_week'],
      },
    ],
  },
  {
    name: 'reading',
    label: 'Reading',
    sections: [
      { label: 'Homepage', settings: ['show_on_front', 'page_on_front', 'page_for_posts'] },
      { label: 'Lists and feeds', settings: ['posts_per_page', 'posts_per_rss', 'rss_use_excerpt'] },
      { label: 'Search engines', settings: ['blog_public'] },
    ],
  },
  {
    name: 'writing',
    label: 'Writing',
    sections: [{ settings: ['default_category', 'default_post_format', 'use_smilies'] }],
  },
  {
    name: 'discussion',
    label: 'Discussion',
    sections: [
      { label: 'New posts', settings: ['default_comment_status', 'default_ping_status'] },
      {
        label: 'Rules for comments',
        settings: [
          'require_name_email',
          'comment_registration',
          'close_comments_for_old_posts',
          'close_comments_days_old',
        ],
      },
      {
        label: 'Moderation',
        settings: [
          'comment_moderation',
          'comment_previously_approved',
          'comment_max_links',
          'comment_flood_seconds',
          'moderation_keys',
          'disallowed_keys',
        ],
      },
      {
        label: 'Display of comments',
        settings: [
          'thread_comments',
          'thread_comments_depth',
          'comment_order',
          'page_comments',
          'comments_per_page',
          'default_comments_page',
        ],
      },
    ],
  },
  {
    name: 'media',
    label: 'Media',
    sections: [
      {
        label: 'Image sizes',
        settings: [
          'thumbnail_size_w',
          'thumbnail_size_h',
          'thumbnail_crop',
          'medium_size_w',
          'medium_size_h',
          'large_size_w',
          'large_size_h',
        ],
      },
      { label: 'Uploading files', settings: ['uploads_use_yearmonth_folders'] },
    ],
  },
  { name: 'privacy', label: 'Privacy', sections: [{ settings: ['page_for_privacy_policy'] }] },
  { name: 'identity', label: 'Logo and icon', sections: [{ settings: ['site_logo', 'site_icon'] }] },
]

/** The page with settings of plugins. */
export const PLUGIN_SETTINGS = 'further'
export const PERMALINKS = 'permalinks'

/** Renders links to the pages of settings. @param further whether plugins have registered settings */
export function groupTabs(view: AdminView, here: string, further: boolean): PageHtml {
  const { t } = view
  const all = [
    ...GROUPS,
    { name: PERMALINKS, label: 'Permalinks' },
    ...(further ? [{ name: PLUGIN_SETTINGS, label: 'Plugin settings' }] : []),
  ]
  const items = all.map(({ name, label }) => {
    const mark = name === here ? html` aria-current="page"` : null
    return html`<li><a href="${view.url(name === '' ? 'settings' : `settings/${name}`)}" ${mark}>${t(label)}</a></li>`
  })
  return html`<nav aria-label="${t('Settings')}">
    <ul class="tabs">
      ${items}
    </ul>
  </nav>`
}
