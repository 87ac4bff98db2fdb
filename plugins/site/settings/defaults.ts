import { errors, escapeHtmlOnce, isTimeZone, type Urls } from '../../../kernel/index.ts'
import type { Settings } from './settings.ts'

/** Registers the settings of every site. */
export function registerDefaults(settings: Settings, urls: Pick<Urls, 'home'>): void {
  const shown = true
  const open = { schema: { enum: ['open', 'closed'] } }
  settings.register('title', {
    type: 'string',
    description: 'Title of the site.',
    initial: 'A new site',
    show_in_rest: shown,
    sanitize_callback: asText,
  })
  settings.register('description', {
    type: 'string',
    description: 'What the site is about, in a few words.',
    initial: '',
    show_in_rest: shown,
    sanitize_callback: asText,
  })
  settings.register('url', {
    type: 'string',
    description: 'URL of the site.',
    show_in_rest: { schema: { format: 'uri' } },
    // The config decides it: a site that has moved must not send users back to where it was.
    read: () => urls.home,
  })
  settings.register('email', {
    type: 'string',
    description: 'Email address that notices for administrators are sent to.',
    show_in_rest: { schema: { format: 'email' } },
  })
  settings.register('timezone', {
    type: 'string',
    description: 'Time zone of the site: a city of the same zone.',
    initial: 'UTC',
    show_in_rest: shown,
    sanitize_callback: asZone,
  })
  settings.register('date_format', {
    type: 'string',
    description: 'How dates are written, in letters that stand for their parts.',
    initial: 'F j, Y',
    show_in_rest: shown,
  })
  settings.register('time_format', {
    type: 'string',
    description: 'How times of day are written, in letters that stand for their parts.',
    initial: 'g:i a',
    show_in_rest: shown,
  })
  settings.register('start_of_week', {
    type: 'integer',
    description: 'Day that a week begins with: 0 is Sunday.',
    initial: 1,
    show_in_rest: shown,
    sanitize_callback: asSize,
  })
  settings.register('language', {
    type: 'string',
    description: 'Language of the site, with its country.',
    default: 'en_US',
    show_in_rest: shown,
  })
  settings.register('use_smilies', {
    type: 'boolean',
    description: 'Whether faces typed as :-) become pictures.',
    default: true,
    show_in_rest: shown,
  })
  settings.register('default_category', {
    type: 'integer',
    description: 'Category of posts that are given none.',
    initial: 1,
    show_in_rest: shown,
    sanitize_callback: asSize,
    names: { taxonomy: 'category' },
  })
  settings.register('default_post_format', {
    type: 'string',
    description: 'Format of posts that are given none.',
    initial: '0',
    show_in_rest: shown,
  })
  settings.register('posts_per_page', {
    type: 'integer',
    description: 'Posts on one page of the site.',
    default: 10,
    show_in_rest: shown,
    sanitize_callback: asPageSize,
  })
  settings.register('show_on_front', {
    type: 'string',
    description: 'What the front page shows: posts, or one page.',
    initial: 'posts',
    show_in_rest: shown,
  })
  settings.register('page_on_front', {
    type: 'integer',
    description: 'Page that the front page shows; 0 for none.',
    initial: 0,
    show_in_rest: shown,
    sanitize_callback: asSize,
    names: { type: 'page' },
  })
  settings.register('page_for_posts', {
    type: 'integer',
    description: 'Page in whose place the newest posts are listed; 0 for none.',
    initial: 0,
    show_in_rest: shown,
    sanitize_callback: asSize,
    names: { type: 'page' },
  })
  settings.register('default_ping_status', {
    type: 'string',
    description: 'Whether other sites may tell of links to new posts.',
    initial: 'open',
    show_in_rest: open,
  })
  settings.register('default_comment_status', {
    type: 'string',
    description: 'Whether users may comment on new posts.',
    initial: 'open',
    show_in_rest: open,
  })
  settings.register('site_logo', {
    type: 'integer',
    description: 'Picture that is the logo.',
    show_in_rest: shown,
    sanitize_callback: asSize,
    names: { type: 'attachment' },
  })
  settings.register('site_icon', {
    type: 'integer',
    description: 'Picture that stands for the site in browsers; 0 for none.',
    initial: 0,
    show_in_rest: shown,
    sanitize_callback: asSize,
    names: { type: 'attachment' },
  })
  settings.register('permalink', {
    type: 'string',
    description: 'Pattern of the URLs of posts; empty for URLs with the ID alone.',
    initial: '/%year%/%monthnum%/%day%/%postname%/',
  })
  settings.register('theme', { type: 'object', description: 'The theme in use: name, version, what it supports.' })
  settings.register('sticky_posts', {
    type: 'array',
    description: 'Posts that stay on top of the list.',
    initial: [],
  })
}

/** Text that stands in pages as HTML. */
const asText = (value: unknown) => escapeHtmlOnce(String(value))

/** A zone in which dates can be counted. @throws rest_invalid_param */
function asZone(value: unknown): string {
  if (value === '') return 'UTC'
  if (isTimeZone(value)) return String(value)
  throw errors.rest_invalid_param('There is no such time zone: name a city, as in Europe/Paris, or UTC.')
}

const asSize = (value: unknown) => Math.abs(Number(value))

/** One post at least; -1 stands for all. */
const asPageSize = (value: unknown) => (value === -1 ? -1 : Math.max(asSize(value), 1))
