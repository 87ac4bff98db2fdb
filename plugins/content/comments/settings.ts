import type { Settings } from '../../site/settings/index.ts'

/** Registers what a site decides about new comments. The interface does not show it. */
export function registerCommentSettings(settings: Settings): void {
  const yesOrNo = (name: string, initial: boolean, description: string) =>
    void settings.register(name, { type: 'boolean', initial, description })
  const number = (name: string, initial: number, description: string) =>
    void settings.register(name, { type: 'integer', initial, description })
  const words = (name: string, description: string) =>
    void settings.register(name, { type: 'string', initial: '', description })

  yesOrNo('comment_registration', false, 'Whether only people with an account may comment.')
  yesOrNo(
    'require_name_email',
    true,
    'Whether who comments without an account has to tell a name and an email address.',
  )
  yesOrNo('comment_moderation', false, 'Whether every comment waits for a moderator.')
  yesOrNo('comment_previously_approved', true, 'Whether comments wait of people of whom none was approved before.')
  number('comment_max_links', 2, 'Comments with so many links wait for a moderator; 0 for any number of links.')
  words('moderation_keys', 'Comments that contain one of these texts wait for a moderator; one a line.')
  words('disallowed_keys', 'Comments that contain one of these texts go to the trash; one a line.')
  number('comment_flood_seconds', 15, 'Seconds that a person has to wait between two comments.')
  yesOrNo('close_comments_for_old_posts', false, 'Whether posts stop taking comments when they are old.')
  number('close_comments_days_old', 14, 'Days after which a post counts as old.')
}

/** The settings above, as the model of comments reads them. */
export const MODERATION_SETTINGS = [
  'comment_moderation',
  'comment_previously_approved',
  'comment_max_links',
  'moderation_keys',
  'disallowed_keys',
  'comment_flood_seconds',
] as const
