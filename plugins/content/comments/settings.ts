import type { Settings } from '../../foundation/settings/index.ts'

/** Registers the settings of comments. The REST API does not show them. */
export function registerCommentSettings(settings: Settings): void {
  const boolean = (name: string, initial: boolean, description: string, visible = false) =>
    void settings.register(name, { type: 'boolean', initial, description, visible })
  const number = (name: string, initial: number, description: string, visible = false) =>
    void settings.register(name, { type: 'integer', initial, description, visible })
  const text = (name: string, description: string) =>
    void settings.register(name, { type: 'string', initial: '', description })

  boolean('comment_registration', false, 'Whether only users who are logged in may comment.', true)
  boolean('require_name_email', true, 'Whether visitors who comment must give a name and an email address.', true)
  boolean('comment_moderation', false, 'Whether every comment waits for a moderator.')
  boolean(
    'comment_previously_approved',
    true,
    'Whether comments of authors without an approved one wait for a moderator.',
  )
  number('comment_max_links', 2, 'Comments with this many links wait for a moderator; 0 for no limit.')
  text('moderation_keys', 'Comments that contain one of these texts wait for a moderator. One text per line.')
  text('disallowed_keys', 'Comments that contain one of these texts go to the trash. One text per line.')
  number('comment_flood_seconds', 15, 'Minimum seconds between two comments of the same author.')
  boolean('close_comments_for_old_posts', false, 'Whether old posts are closed for comments.', true)
  number('close_comments_days_old', 14, 'Days after which a post is old.', true)
  registerListSettings(settings)
}

/** Registers the settings of comment lists on the site's pages. */
function registerListSettings(settings: Settings): void {
  const page = {
    type: 'boolean',
    default: false,
    description: 'Whether comments are shown on several pages.',
    visible: true,
  } as const
  settings.register('page_comments', page)
  settings.register('comments_per_page', {
    type: 'integer',
    default: 50,
    visible: true,
    description: 'Comments per page, not counting replies: 1 to 100.',
  })
  settings.register('default_comments_page', {
    type: 'string',
    default: 'newest',
    visible: true,
    description: 'Page of comments that is shown first: newest or oldest.',
  })
  settings.register('comment_order', {
    type: 'string',
    default: 'asc',
    visible: true,
    description: 'Order of comments: oldest first (asc) or newest first (desc).',
  })
  settings.register('thread_comments', {
    type: 'boolean',
    default: true,
    visible: true,
    description: 'Whether replies are nested below the comment they answer.',
  })
  settings.register('thread_comments_depth', {
    type: 'integer',
    default: 5,
    visible: true,
    description: 'Levels of replies: 2 to 10.',
  })
}

export const MODERATION_SETTINGS = [
  'comment_moderation',
  'comment_previously_approved',
  'comment_max_links',
  'moderation_keys',
  'disallowed_keys',
  'comment_flood_seconds',
] as const
