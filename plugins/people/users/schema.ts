import { CURSOR_ARGUMENT, SCHEMA_DRAFT, type ItemSchema, type PropertySchema } from '../../resources/index.ts'
import { LONG_TEXT_LIMITS, sanitizeValue, validateValue } from '../../requests/arguments/index.ts'
import type { ArgumentSchema, Arguments } from '../../../kernel/index.ts'
import type { SchemaType } from '../../library/schemas/index.ts'
import { errors } from './errors.ts'
import { isPassword, loginProblem } from './credentials.ts'
import { SEARCH_COLUMNS, USER_ORDERS } from './query.ts'

const EVERYWHERE = ['embed', 'view', 'edit'] as const
const EDITORS = ['edit'] as const

/** Input that is converted to one line of plain text. */
const PLAIN: ArgumentSchema = {
  sanitize_callback: (value) => sanitizeValue(value, { type: 'string', format: 'text-field' }),
}

/** Parts of the schema that depend on the site. */
export interface UserSchemaParts {
  /** Field of avatars; null if the site shows none. */
  avatars: PropertySchema | null
  /** Languages that users can choose; '' is the language of the site. */
  locales: readonly string[]
  meta: PropertySchema | null
}

export function userSchema({ avatars, locales, meta }: UserSchemaParts): ItemSchema {
  const text =
    (context: readonly string[]) =>
    (description: string, more: PropertySchema = {}): PropertySchema => ({
      description,
      type: 'string',
      context,
      ...more,
    })
  const [forEditors, forAll] = [text(EDITORS), text(EVERYWHERE)]
  return {
    $schema: SCHEMA_DRAFT,
    title: 'user',
    type: 'object',
    properties: {
      id: forAll('ID of the user.', { type: 'integer', readonly: true }),
      username: forEditors('Login name of the user.', { required: true, arg_options: { sanitize_callback: toLogin } }),
      name: forAll('Display name of the user.', { arg_options: PLAIN }),
      first_name: forEditors('First name of the user.', { arg_options: PLAIN }),
      last_name: forEditors('Last name of the user.', { arg_options: PLAIN }),
      email: forEditors('Email address of the user.', { format: 'email', required: true }),
      url: forAll('URL of the website of the user.', { format: 'uri' }),
      description: forAll('Biography of the user.', { arg_options: { size_limits: LONG_TEXT_LIMITS } }),
      link: forAll('URL of the page with the posts of the user.', { format: 'uri', readonly: true }),
      locale: forEditors('Locale of the user; empty for that of the site.', { enum: locales }),
      nickname: forEditors('Nickname of the user.', { arg_options: PLAIN }),
      slug: forAll('Slug of the user, unique among users.', { arg_options: PLAIN }),
      registered_date: forEditors('Date the user was registered, in UTC.', { format: 'date-time', readonly: true }),
      roles: forEditors('Roles of the user.', { type: 'array', items: { type: 'string' }, references: 'role' }),
      password: {
        description: 'Password of the user, never shown.',
        type: 'string',
        context: [],
        required: true,
        arg_options: { sanitize_callback: toPassword },
      },
      capabilities: forEditors('Capabilities of the user.', { type: 'object', readonly: true }),
      extra_capabilities: forEditors('Roles and capabilities that the user was given directly.', {
        type: 'object',
        readonly: true,
      }),
      ...(avatars !== null && { avatar_urls: avatars }),
      ...(meta !== null && { meta }),
    },
  }
}

/**
 * Returns the arguments of the list of users, in addition to the common arguments of lists.
 * @param types content types that the REST API serves
 * @param since whether the revision has a feature of a version
 */
export function userListArguments(types: readonly string[], since: (version: string) => boolean): Arguments {
  const list = (description: string, type: SchemaType, more: Partial<ArgumentSchema> = {}): ArgumentSchema => ({
    description,
    type: 'array',
    items: { type },
    ...more,
  })
  return {
    cursor: CURSOR_ARGUMENT,
    exclude: list('Leaves out users with these IDs.', 'integer', { default: [] }),
    include: list('Limits the list to users with these IDs.', 'integer', { default: [] }),
    offset: { description: 'Skips this many users, whatever the page.', type: 'integer' },
    order: { description: 'Direction of the order.', type: 'string', default: 'asc', enum: ['asc', 'desc'] },
    orderby: { description: 'What to order users by.', type: 'string', default: 'name', enum: USER_ORDERS },
    ...(since('6.8') && {
      search_columns: list('What of the users is searched.', 'string', {
        default: [],
        items: { type: 'string', enum: Object.keys(SEARCH_COLUMNS) },
      }),
    }),
    slug: list('Limits the list to users with one of these slugs.', 'string'),
    roles: list('Limits the list to users with one of these roles.', 'string'),
    capabilities: list('Limits the list to users with one of these capabilities.', 'string'),
    who: { description: 'Limits the list to users who can write posts.', type: 'string', enum: ['authors'] },
    has_published_posts: {
      description: 'Limits the list to users who have published posts, of any type or of these types.',
      type: ['boolean', 'array'],
      // Clients expect a map of names.
      items: { type: 'string', enum: Object.fromEntries(types.map((type) => [type, type])) as unknown as string[] },
      validate_callback: (value, _request, name) =>
        validateValue(value, { type: ['boolean', 'array'], items: { type: 'string', enum: types } }, name) === true,
    },
  }
}

export const DELETE_ARGUMENTS: Arguments = {
  force: { description: 'Must be true: users are deleted for good.', type: 'boolean', default: false },
  reassign: {
    description:
      'ID of the user who gets the posts of the deleted one; 0 leaves them without an author, false moves them to the trash.',
    type: 'integer',
    required: true,
    references: 'user_heir',
    validate_callback: (value) =>
      isNoReassignment(value) || validateValue(value, { type: 'integer', minimum: 0 }, '') === true,
    sanitize_callback: (value) => (isNoReassignment(value) ? null : Number(value)),
  },
}

function isNoReassignment(value: unknown): boolean {
  return value === false || value === 'false' || value === ''
}

function toLogin(value: unknown): unknown {
  const problem = loginProblem(String(value))
  return problem === null ? value : errors.rest_user_invalid_username(problem)
}

function toPassword(value: unknown): unknown {
  return isPassword(String(value)) ? value : errors.rest_user_invalid_password()
}
