import { parseValue } from '../../../../requests/arguments/index.ts'
import { RestError } from '../../../../../kernel/index.ts'
import type { AdminView } from '../../frame/view.ts'
import type { Schemas, Values } from '../../parts/schema-fields.ts'

/** Texts, one per line. */
const LINES_SCHEMA = { type: 'string', maxLength: 65_535 } as const

/** Maximum width or height of an image size in pixels. */
const PIXELS_SCHEMA = { type: 'integer', minimum: 0, maximum: 10_000, required: true } as const

/** Titles and schemas of settings of default plugins that the REST API does not expose. */
const SCHEMAS = {
  blog_public: { type: 'boolean', title: 'Allow search engines to index this site' },
  posts_per_rss: {
    type: 'integer',
    title: 'Syndication feeds show the most recent',
    minimum: 1,
    maximum: 100,
    required: true,
  },
  rss_use_excerpt: { type: 'boolean', title: 'Include only excerpts in feeds' },
  require_name_email: { type: 'boolean', title: 'Comment author must fill out name and email' },
  comment_registration: { type: 'boolean', title: 'Users must be logged in to comment' },
  close_comments_for_old_posts: { type: 'boolean', title: 'Automatically close comments on old posts' },
  close_comments_days_old: {
    type: 'integer',
    title: 'Close comments when a post is how many days old',
    minimum: 1,
    maximum: 36_500,
    required: true,
  },
  thread_comments: { type: 'boolean', title: 'Enable threaded (nested) comments' },
  thread_comments_depth: { type: 'integer', title: 'Maximum nesting depth', minimum: 2, maximum: 10, required: true },
  page_comments: { type: 'boolean', title: 'Break comments into pages' },
  comments_per_page: {
    type: 'integer',
    title: 'Top-level comments per page',
    minimum: 1,
    maximum: 100,
    required: true,
  },
  default_comments_page: {
    type: 'string',
    title: 'Comments page displayed by default',
    enum: ['newest', 'oldest'],
    required: true,
  },
  comment_order: { type: 'string', title: 'Comment order', enum: ['asc', 'desc'], required: true },
  comment_moderation: { type: 'boolean', title: 'Comments must be manually approved' },
  comment_previously_approved: { type: 'boolean', title: 'Comment author must have a previously approved comment' },
  comment_max_links: {
    type: 'integer',
    title: 'Hold a comment that contains this many links',
    minimum: 0,
    maximum: 1000,
    required: true,
  },
  comment_flood_seconds: {
    type: 'integer',
    title: 'Minimum seconds between comments from the same author',
    minimum: 0,
    maximum: 86_400,
    required: true,
  },
  moderation_keys: { ...LINES_SCHEMA, title: 'Moderation keywords' },
  disallowed_keys: { ...LINES_SCHEMA, title: 'Disallowed comment keywords' },
  thumbnail_size_w: { ...PIXELS_SCHEMA, title: 'Width of thumbnails' },
  thumbnail_size_h: { ...PIXELS_SCHEMA, title: 'Height of thumbnails' },
  thumbnail_crop: { type: 'boolean', title: 'Crop thumbnails to exact dimensions' },
  medium_size_w: { ...PIXELS_SCHEMA, title: 'Maximum width of medium images' },
  medium_size_h: { ...PIXELS_SCHEMA, title: 'Maximum height of medium images' },
  large_size_w: { ...PIXELS_SCHEMA, title: 'Maximum width of large images' },
  large_size_h: { ...PIXELS_SCHEMA, title: 'Maximum height of large images' },
  uploads_use_yearmonth_folders: { type: 'boolean', title: 'Organize uploads into folders by year and month' },
  page_for_privacy_policy: { type: 'integer', title: 'Privacy policy page', minimum: 0 },
} as const satisfies Schemas

/** Returns the schemas of those settings that the plugins of this site have registered. */
export function ownSchemas({ plugin }: AdminView): Schemas {
  const { settings } = plugin.services
  return Object.fromEntries(Object.entries(SCHEMAS).filter(([name]) => settings.get(name) !== undefined))
}

/** Validates values of these settings; returns error messages by name. */
export function ownErrors(values: Values, schemas: Schemas): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const [name, schema] of Object.entries(schemas)) {
    if (!Object.hasOwn(values, name)) continue
    try {
      parseValue(values[name], schema, schema.title ?? name)
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      errors[name] = error.message
    }
  }
  return errors
}

/** Stores values of these settings. The caller must have checked the capability and validated the values. */
export async function storeOwn({ plugin }: AdminView, values: Values): Promise<void> {
  const { options, store } = plugin.services
  await store.inTurn(async () => {
    for (const [name, value] of Object.entries(values)) await options.set(name, value)
  })
}
