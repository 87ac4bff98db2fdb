import {
  LONG_TEXTS,
  SCHEMA_DRAFT,
  validateValue,
  type ArgumentSchema,
  type Arguments,
  type ItemSchema,
  type PropertySchema,
} from '../../../kernel/index.ts'
import { COMMENT_ORDERS } from './reader.ts'

const EVERYWHERE = ['view', 'edit', 'embed'] as const
const READERS = ['view', 'edit'] as const
const EDITORS = ['edit'] as const

/** Content is written as an object or as its raw text alone. */
const WRITTEN_CONTENT: ArgumentSchema = {
  size_limits: LONG_TEXTS,
  validate_callback: (value) =>
    validateValue(value, { type: ['string', 'object'], properties: { raw: { type: 'string' } } }, 'content'),
  sanitize_callback: null,
}

/** Who has no email address gives none. */
const WRITTEN_EMAIL: ArgumentSchema = {
  validate_callback: (value) =>
    value === '' || validateValue(value, { type: 'string', format: 'email' }, 'author_email'),
}

/** What the schema of a comment depends on. */
export interface CommentSchemaParts {
  /** The field of avatars; null where the site shows none. */
  avatars: PropertySchema | null
  meta: PropertySchema | null
}

/** The schema of a comment. */
export function commentSchema({ avatars, meta }: CommentSchemaParts): ItemSchema {
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
      id: number('Number of the comment.', { readonly: true }),
      author: number('Number of the user who wrote it; 0 for nobody with an account.'),
      author_email: text('Email address of the author.', {
        format: 'email',
        context: EDITORS,
        arg_options: WRITTEN_EMAIL,
      }),
      author_ip: text('Network address that the comment came from.', { format: 'ip', context: EDITORS }),
      author_name: text('Name of the author.'),
      author_url: text('Address of the website of the author.', { format: 'uri' }),
      author_user_agent: text('Program that the comment was sent with.', { context: EDITORS }),
      content: text('What the comment says.', {
        type: 'object',
        arg_options: WRITTEN_CONTENT,
        properties: {
          raw: text('The text as it is stored.', { context: EDITORS }),
          rendered: text('The text as HTML.', { readonly: true }),
        },
      }),
      date: text('When it was written, in the time zone of the site.', { format: 'date-time' }),
      date_gmt: text('When it was written, in UTC.', { format: 'date-time', context: READERS }),
      link: text('Address of the comment on the site.', { format: 'uri', readonly: true }),
      parent: number('Number of the comment that it answers; 0 for none.', { default: 0 }),
      post: number('Number of the post that it is about.', { context: READERS, default: 0 }),
      status: text('State of the comment.', { context: READERS }),
      type: text('Kind of comment.', { readonly: true }),
      ...(avatars !== null && { author_avatar_urls: { ...avatars, context: EVERYWHERE } }),
      ...(meta !== null && { meta }),
    },
  }
}

/** The argument that opens a protected post. */
export const PASSWORD: ArgumentSchema = {
  description: 'Password of the post that the comments are about, where it has one.',
  type: 'string',
}

/** The arguments of deleting a comment. */
export const DELETE_ARGUMENTS: Arguments = {
  force: {
    description: 'Whether the comment is deleted for good, past the trash.',
    type: 'boolean',
    default: false,
  },
  password: PASSWORD,
}

/** The arguments of the list of comments beside those of every list. */
export function commentListArguments(): Arguments {
  const numbers = (description: string, more: Partial<ArgumentSchema> = {}): ArgumentSchema => ({
    description,
    type: 'array',
    items: { type: 'integer' },
    ...more,
  })
  const date = (description: string): ArgumentSchema => ({ description, type: 'string', format: 'date-time' })
  return {
    after: date('Limits the list to comments written after this.'),
    author: numbers('Limits the list to comments of these users. For those who work on content.'),
    author_exclude: numbers('Leaves out comments of these users. For those who work on content.'),
    author_email: {
      description: 'Limits the list to comments signed with this email address. For those who work on content.',
      type: 'string',
      format: 'email',
      default: null,
    },
    before: date('Limits the list to comments written before this.'),
    exclude: numbers('Leaves these comments out.', { default: [] }),
    include: numbers('Limits the list to these comments.', { default: [] }),
    offset: { description: 'Skips this many comments; goes before the page.', type: 'integer' },
    order: { description: 'Direction of the order.', type: 'string', default: 'desc', enum: ['asc', 'desc'] },
    orderby: {
      description: 'What the comments are ordered by.',
      type: 'string',
      default: 'date_gmt',
      enum: [...COMMENT_ORDERS],
    },
    parent: numbers('Limits the list to answers to these comments; 0 stands for what answers none.', { default: [] }),
    parent_exclude: numbers('Leaves out answers to these comments.', { default: [] }),
    post: numbers('Limits the list to comments about these posts.', { default: [] }),
    status: {
      description: 'Limits the list to comments of this state; others than approve are for those who work on content.',
      type: 'string',
      default: 'approve',
    },
    type: {
      description: 'Limits the list to this kind of comment; others than comment are for those who work on content.',
      type: 'string',
      default: 'comment',
    },
    password: PASSWORD,
  }
}
