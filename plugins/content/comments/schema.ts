import { CURSOR_ARGUMENT, SCHEMA_DRAFT, type ItemSchema, type PropertySchema } from '../../resources/index.ts'
import { LONG_TEXT_LIMITS, validateValue } from '../../requests/arguments/index.ts'
import type { ArgumentSchema, Arguments } from '../../../kernel/index.ts'
import { COMMENT_ORDERS } from './query.ts'

const EVERYWHERE = ['view', 'edit', 'embed'] as const
const READERS = ['view', 'edit'] as const
const EDITORS = ['edit'] as const

/** Requests send the content as an object or as a raw string. Other values are ignored, as texts of posts are. */
const WRITTEN_CONTENT: ArgumentSchema = {
  size_limits: LONG_TEXT_LIMITS,
  validate_callback: null,
  sanitize_callback: null,
}

/** The email address of the author can be empty. */
const WRITTEN_EMAIL: ArgumentSchema = {
  validate_callback: (value) =>
    value === '' || validateValue(value, { type: 'string', format: 'email' }, 'author_email'),
}

/** Parts of the comment schema that depend on the site. */
export interface CommentSchemaParts {
  /** Schema of the avatar field; null if the site shows no avatars. */
  avatars: PropertySchema | null
  meta: PropertySchema | null
  /** Whether the emulated version is at least the given one. */
  since: (version: string) => boolean
}

export function commentSchema({ avatars, meta, since }: CommentSchemaParts): ItemSchema {
  const text = (description: string, more: Partial<PropertySchema> = {}): PropertySchema => ({
    description,
    type: 'string',
    context: EVERYWHERE,
    ...more,
  })
  const number = (description: string, more: Partial<PropertySchema> = {}) =>
    text(description, { type: 'integer', ...more })
  return {
    $schema: SCHEMA_DRAFT,
    title: 'comment',
    type: 'object',
    properties: {
      id: number('ID of the comment.', { readonly: true }),
      author: number('ID of the user who wrote the comment; 0 for a visitor.', { references: 'comment_author' }),
      author_email: text('Email address of the author.', {
        format: 'email',
        context: EDITORS,
        arg_options: WRITTEN_EMAIL,
      }),
      author_ip: text('IP address the comment was sent from.', { format: 'ip', context: EDITORS }),
      author_name: text('Name of the author.'),
      author_url: text('URL of the website of the author.', { format: 'uri' }),
      author_user_agent: text('User agent the comment was sent with.', { context: EDITORS }),
      content: text('Content of the comment.', {
        type: 'object',
        arg_options: WRITTEN_CONTENT,
        properties: {
          raw: text('Content as it is stored.', { context: EDITORS }),
          rendered: text('Content as HTML, for display.', { readonly: true }),
        },
      }),
      date: text('Date of the comment, in the time zone of the site.', { format: 'date-time' }),
      date_gmt: text('Date of the comment, in UTC.', { format: 'date-time', context: READERS }),
      link: text('URL of the comment on the site.', { format: 'uri', readonly: true }),
      parent: number('ID of the parent comment; 0 for none.', { default: 0, references: 'comment_parent' }),
      post: number('ID of the post.', { context: READERS, default: 0, references: 'comment_post' }),
      status: text('Status of the comment.', { context: READERS }),
      type: text('Type of the comment.', { readonly: true, ...(since('6.9') && { default: 'comment' }) }),
      ...(avatars !== null && { author_avatar_urls: { ...avatars, context: EVERYWHERE } }),
      ...(meta !== null && { meta }),
    },
  }
}

/** Argument for the password of a protected post. */
export const PASSWORD: ArgumentSchema = { description: 'Password of the post, if it has one.', type: 'string' }

export const DELETE_ARGUMENTS: Arguments = {
  force: {
    description: 'Whether to delete the comment for good instead of moving it to the trash.',
    type: 'boolean',
    default: false,
  },
  password: PASSWORD,
}

/** Returns the arguments specific to the list of comments. */
export function commentListArguments(): Arguments {
  const numbers = (description: string, more: Partial<ArgumentSchema> = {}): ArgumentSchema => ({
    description,
    type: 'array',
    items: { type: 'integer' },
    ...more,
  })
  const date = (description: string): ArgumentSchema => ({ description, type: 'string', format: 'date-time' })
  return {
    cursor: CURSOR_ARGUMENT,
    after: date('Limits the list to comments after this date.'),
    author: numbers('Limits the list to comments of the users with these IDs. For users who can write posts.'),
    author_exclude: numbers('Leaves out comments of the users with these IDs. For users who can write posts.'),
    author_email: {
      description: 'Limits the list to comments with this email address of the author. For moderators.',
      type: 'string',
      format: 'email',
      default: null,
    },
    before: date('Limits the list to comments before this date.'),
    exclude: numbers('Leaves out comments with these IDs.', { default: [] }),
    include: numbers('Limits the list to comments with these IDs.', { default: [] }),
    offset: { description: 'Number of comments to skip; takes precedence over page.', type: 'integer' },
    order: { description: 'Direction of the order.', type: 'string', default: 'desc', enum: ['asc', 'desc'] },
    orderby: {
      description: 'What to order comments by.',
      type: 'string',
      default: 'date_gmt',
      enum: [...COMMENT_ORDERS],
    },
    parent: numbers('Limits the list to replies to the comments with these IDs; 0 for comments without a parent.', {
      default: [],
    }),
    parent_exclude: numbers('Leaves out replies to the comments with these IDs.', { default: [] }),
    post: numbers('Limits the list to comments on the posts with these IDs.', { default: [] }),
    status: {
      description:
        'Limits the list to comments with this status. Other values than approve require the right to write posts.',
      type: 'string',
      default: 'approve',
    },
    type: {
      description:
        'Limits the list to comments of this type. Other values than comment require the right to write posts.',
      type: 'string',
      default: 'comment',
    },
    password: PASSWORD,
  }
}
