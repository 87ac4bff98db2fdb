import { errors, type Urls } from '../../../kernel/index.ts'
import { escapeHtmlOnce } from '../../library/markup/index.ts'
import { isTimeZone } from '../../resources/index.ts'
import type { Settings, SettingSpec } from './settings.ts'

/** Option with the ID of the page with the privacy policy, with the name that imports use. */
export const PRIVACY_PAGE = 'page_for_privacy_policy'

type SpecOptions = Omit<SettingSpec, 'type' | 'description'>

const textSetting = (description: string, options: SpecOptions = {}): SettingSpec => ({
  type: 'string',
  description,
  show_in_rest: true,
  ...options,
})

/** An integer setting, usually an ID. */
const numberSetting = (description: string, options: SpecOptions = {}): SettingSpec => ({
  type: 'integer',
  description,
  show_in_rest: true,
  sanitize_callback: asSize,
  ...options,
})

/** Registers the settings of every site. */
export function registerDefaults(settings: Settings, urls: Pick<Urls, 'home'>): void {
  for (const [name, setting] of Object.entries(defaultSettings(urls))) {
    const label = LABELS[name]
    settings.register(name, { ...(label !== undefined && { label }), visible: VISIBLE.has(name), ...setting })
  }
}

/** Settings that pages, feeds or the REST API show to visitors or depend on. */
const VISIBLE: ReadonlySet<string> = new Set([
  'title',
  'description',
  'timezone',
  'date_format',
  'time_format',
  'start_of_week',
  'language',
  'use_smilies',
  'posts_per_page',
  'show_on_front',
  'page_on_front',
  'page_for_posts',
  PRIVACY_PAGE,
  'site_logo',
  'site_icon',
  'permalink',
  'theme',
  'sticky_posts',
])

/** Labels for forms. */
const LABELS: Readonly<Record<string, string>> = {
  title: 'Title',
  description: 'Tagline',
  url: 'Site URL',
  email: 'Email address',
  timezone: 'Time zone',
  date_format: 'Date format',
  time_format: 'Time format',
  start_of_week: 'Week begins on',
  language: 'Language',
  use_smilies: 'Emoticons as images',
  default_category: 'Default category',
  default_post_format: 'Default format',
  posts_per_page: 'Posts per page',
  show_on_front: 'Front page shows',
  page_on_front: 'Front page',
  page_for_posts: 'Page of posts',
  default_ping_status: 'Pings',
  default_comment_status: 'Comments',
  site_logo: 'Logo',
  site_icon: 'Site icon',
}

const defaultSettings = (urls: Pick<Urls, 'home'>): Record<string, SettingSpec> => ({
  title: textSetting('Title of the site.', { initial: 'A new site', sanitize_callback: asText }),
  description: textSetting('Tagline: a few words about the site.', {
    initial: '',
    sanitize_callback: asText,
  }),
  // Defined by the config: after a move, the site must not redirect users to its old URL.
  url: textSetting('URL of the site.', { show_in_rest: { schema: { format: 'uri' } }, read: () => urls.home }),
  email: textSetting('Email address that notices for administrators are sent to.', {
    show_in_rest: { schema: { format: 'email' } },
  }),
  timezone: textSetting('Time zone of the site: a city of the same zone.', {
    initial: 'UTC',
    sanitize_callback: asZone,
  }),
  date_format: textSetting('Date format, in letters that stand for the parts of a date.', { initial: 'F j, Y' }),
  time_format: textSetting('Time format, in letters that stand for the parts of a time.', {
    initial: 'g:i a',
  }),
  start_of_week: numberSetting('Day that a week begins with: 0 is Sunday.', { initial: 1 }),
  language: textSetting('Language of the site, with its country.', { default: 'en_US' }),
  use_smilies: {
    type: 'boolean',
    description: 'Whether emoticons such as :-) become images.',
    default: true,
    show_in_rest: true,
  },
  default_category: numberSetting('Default category of posts.', {
    initial: 1,
    refersTo: { taxonomy: 'category' },
  }),
  default_post_format: textSetting('Default format of posts.', { initial: '0' }),
  posts_per_page: numberSetting('Posts on one page of the site.', { default: 10, sanitize_callback: asPageSize }),
  show_on_front: textSetting('Content of the front page: posts, or one page.', { initial: 'posts' }),
  page_on_front: numberSetting('Page that the front page shows; 0 for none.', {
    initial: 0,
    refersTo: { type: 'page' },
  }),
  page_for_posts: numberSetting('Page that lists the newest posts; 0 for none.', {
    initial: 0,
    refersTo: { type: 'page' },
  }),
  [PRIVACY_PAGE]: numberSetting('Page with the privacy policy; 0 for none.', {
    initial: 0,
    show_in_rest: false,
    refersTo: { type: 'page' },
  }),
  default_ping_status: textSetting(
    'Whether new posts accept pings, by which other sites report links to them.',
    OPEN_OR_CLOSED,
  ),
  default_comment_status: textSetting('Whether users may comment on new posts.', OPEN_OR_CLOSED),
  site_logo: numberSetting('Image used as the logo.', { refersTo: { type: 'attachment' } }),
  site_icon: numberSetting('Image used as the site icon in browsers; 0 for none.', {
    initial: 0,
    refersTo: { type: 'attachment' },
  }),
  permalink: {
    type: 'string',
    description: 'Pattern of the URLs of posts; empty for URLs with the ID alone.',
    initial: '/%year%/%monthnum%/%day%/%postname%/',
  },
  theme: { type: 'object', description: 'The active theme: name, version, supported features.' },
  sticky_posts: { type: 'array', description: 'IDs of the posts that stay at the top of the list.', initial: [] },
})

const OPEN_OR_CLOSED: SpecOptions = { initial: 'open', show_in_rest: { schema: { enum: ['open', 'closed'] } } }

/** Text for use in HTML. */
const asText = (value: unknown) => escapeHtmlOnce(String(value))

/** Validates a time zone. @throws rest_invalid_param */
function asZone(value: unknown): string {
  if (value === '') return 'UTC'
  if (isTimeZone(value)) return String(value)
  throw errors.rest_invalid_param('There is no such time zone: name a city, as in Europe/Paris, or UTC.')
}

const asSize = (value: unknown) => Math.abs(Number(value))

/** At least one post per page; -1 for all. */
const asPageSize = (value: unknown) => (value === -1 ? -1 : Math.max(asSize(value), 1))
