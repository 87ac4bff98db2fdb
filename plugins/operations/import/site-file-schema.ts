import { LONGEST_EMAIL, LONGEST_KEY, LONGEST_LOGIN } from './column-limits.ts'

const text = { type: 'string' } as const

const applicationPassword = {
  type: 'object',
  required: ['name', 'uuid', 'password'],
  additionalProperties: false,
  properties: {
    name: text,
    uuid: { type: 'string', minLength: 1, maxLength: 64 },
    password: { type: 'string', minLength: 1 },
  },
} as const

const user = {
  type: 'object',
  required: ['login'],
  additionalProperties: false,
  properties: {
    id: { type: 'integer', minimum: 1, maximum: 2 ** 32 - 1 },
    login: { type: 'string', minLength: 1, maxLength: LONGEST_LOGIN },
    role: text,
    email: { type: 'string', maxLength: LONGEST_EMAIL },
    password: text,
    application_passwords: { type: 'array', items: applicationPassword },
    registered: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d([T ].*)?$' },
    name: text,
    first_name: text,
    last_name: text,
    nickname: text,
    slug: { type: 'string', maxLength: 200 },
    url: text,
    bio: text,
    meta: { type: 'object', propertyNames: { maxLength: LONGEST_KEY } },
  },
} as const

const theme = {
  type: 'object',
  additionalProperties: false,
  properties: {
    stylesheet: text,
    template: text,
    name: text,
    version: text,
    description: text,
    author: text,
    author_uri: text,
    theme_uri: text,
    textdomain: text,
    screenshot: text,
    tags: { type: 'array', items: text },
    supports: { type: 'object' },
  },
} as const

/** JSON Schema of a site file. */
export const siteFileSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { users: { type: 'array', items: user }, settings: { type: 'object' }, permalink: text, theme },
} as const
