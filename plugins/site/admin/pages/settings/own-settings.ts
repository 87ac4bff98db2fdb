import { parseValue } from '../../../../requests/arguments/index.ts'
import { RestError } from '../../../../../kernel/index.ts'
import type { AdminView } from '../../frame/view.ts'
import type { Schemas, Values } from '../../parts/schema-fields.ts'

/** Lists of texts, one a line. */
const LINES = { type: 'string', maxLength: 65_535 } as const

/** Settings of default plugins that no route of the REST API has: what they are called, and which values they take. */
const SCHEMAS = {
  blog_public: { type: 'boolean', title: 'Search engines may list the site' },
  posts_per_rss: { type: 'integer', title: 'Entries of a feed', minimum: 1, maximum: 100, required: true },
  rss_use_excerpt: { type: 'boolean', title: 'Feeds have excerpts only' },
  require_name_email: { type: 'boolean', title: 'Visitors who comment give a name and an email address' },
  comment_registration: { type: 'boolean', title: 'Only users who are logged in may comment' },
  close_comments_for_old_posts: { type: 'boolean', title: 'Old posts are closed for comments' },
  close_comments_days_old: {
    type: 'integer',
    title: 'Days after which a post is old',
    minimum: 1,
    maximum: 36_500,
    required: true,
  },
  thread_comments: { type: 'boolean', title: 'Replies stand below what they reply to' },
  thread_comments_depth: { type: 'integer', title: 'Levels of replies', minimum: 2, maximum: 10, required: true },
  page_comments: { type: 'boolean', title: 'Comments are shown on several pages' },
  comments_per_page: { type: 'integer', title: 'Comments on one page', minimum: 1, maximum: 100, required: true },
  default_comments_page: {
    type: 'string',
    title: 'Page of comments that is shown first',
    enum: ['newest', 'oldest'],
    required: true,
  },
  comment_order: { type: 'string', title: 'Order of comments', enum: ['asc', 'desc'], required: true },
  comment_moderation: { type: 'boolean', title: 'Every comment waits for a moderator' },
  comment_previously_approved: { type: 'boolean', title: 'The first comment of an author waits for a moderator' },
  comment_max_links: {
    type: 'integer',
    title: 'Links with which a comment waits',
    minimum: 0,
    maximum: 1000,
    required: true,
  },
  comment_flood_seconds: {
    type: 'integer',
    title: 'Seconds between two comments of an author',
    minimum: 0,
    maximum: 86_400,
    required: true,
  },
  moderation_keys: { ...LINES, title: 'Texts with which a comment waits' },
  disallowed_keys: { ...LINES, title: 'Texts with which a comment goes to the trash' },
} as const satisfies Schemas

/** Those of them that the plugins of this site have registered. */
export function ownSchemas({ plugin }: AdminView): Schemas {
  const { settings } = plugin.services
  return Object.fromEntries(Object.entries(SCHEMAS).filter(([name]) => settings.get(name) !== undefined))
}

/** What is wrong with values of these settings, by their names. */
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

/** Stores values of these settings. The caller has asked whether the user may, and what is wrong. */
export async function storeOwn({ plugin }: AdminView, values: Values): Promise<void> {
  const { options, store } = plugin.services
  await store.inTurn(async () => {
    for (const [name, value] of Object.entries(values)) await options.set(name, value)
  })
}
