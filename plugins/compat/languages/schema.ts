import { SCHEMA_DRAFT, type Arguments, type ItemSchema, type PropertySchema } from '../../public.ts'
import { LOCALE_PATTERN, SLUG_PATTERN } from './locales.ts'

const SHOWN = ['view', 'edit'] as const

/** Arguments that set the fields of a language. */
const WRITTEN = {
  name: { description: 'Display name of the language.', type: 'string', minLength: 1 },
  slug: { description: 'Code of the language in URLs and requests.', type: 'string', pattern: SLUG_PATTERN },
  locale: { description: 'Locale of the language.', type: 'string', pattern: LOCALE_PATTERN },
  is_rtl: { description: 'Whether the language is written from right to left.', type: 'boolean' },
  term_group: { description: 'Position of the language among the languages.', type: 'integer' },
  flag_code: { description: 'Code of the region whose flag is shown.', type: 'string' },
} as const satisfies Arguments

export const UPDATE_ARGUMENTS: Arguments = WRITTEN

export const CREATE_ARGUMENTS: Arguments = {
  ...WRITTEN,
  locale: { ...WRITTEN.locale, required: true },
  no_default_cat: {
    default: false,
    description: 'Whether no translation of the default category is created.',
    type: 'boolean',
  },
}

export const CONTEXT_ARGUMENT: Arguments = {
  context: {
    description: 'Scope of the request; determines the fields of the response.',
    type: 'string',
    enum: SHOWN,
    default: 'view',
  },
}

const own = (property: PropertySchema): PropertySchema => ({ ...property, context: SHOWN })
const shown = (description: string, more: Partial<PropertySchema>): PropertySchema => ({
  description,
  type: 'string',
  ...more,
  context: SHOWN,
  readonly: true,
})
const termOf = (description: string): PropertySchema => ({
  description,
  type: 'object',
  properties: {
    term_id: { description: 'ID of the term.', type: 'integer', minimum: 1 },
    term_taxonomy_id: { description: 'ID of the term in its taxonomy.', type: 'integer', minimum: 1 },
    count: { description: 'Number of items in the language.', type: 'integer', minimum: 0 },
  },
})

/** Returns the schema of a language, which OPTIONS shows. */
export const languageSchema = (): ItemSchema => ({
  $schema: SCHEMA_DRAFT,
  title: 'language',
  type: 'object',
  properties: {
    term_id: shown('ID of the language.', { type: 'integer', minimum: 1 }),
    name: own(WRITTEN.name),
    slug: own(WRITTEN.slug),
    locale: own(WRITTEN.locale),
    w3c: shown('Language tag for HTML.', {}),
    facebook: shown('Locale for social networks.', {}),
    is_rtl: own(WRITTEN.is_rtl),
    term_group: own(WRITTEN.term_group),
    flag_code: own(WRITTEN.flag_code),
    flag_url: shown('URL of the flag.', { format: 'uri' }),
    flag: shown('The flag as HTML.', {}),
    custom_flag_url: shown('URL of a flag of the site.', { format: 'uri' }),
    custom_flag: shown('A flag of the site as HTML.', {}),
    is_default: shown('Whether it is the default language.', { type: 'boolean' }),
    active: shown('Whether the language is active.', { type: 'boolean' }),
    home_url: shown('URL of the front page in the language.', { format: 'uri' }),
    search_url: shown('URL of searches in the language.', { format: 'uri' }),
    host: shown('Host of the language.', { format: 'uri' }),
    page_on_front: shown('ID of the static front page in the language.', { type: 'integer', minimum: 0 }),
    page_for_posts: shown('ID of the page of posts in the language.', { type: 'integer', minimum: 0 }),
    fallbacks: shown('Locales whose texts replace missing ones.', {
      type: 'array',
      uniqueItems: true,
      items: { type: 'string', pattern: LOCALE_PATTERN },
    }),
    term_props: shown('The terms of the language.', {
      type: 'object',
      properties: {
        language: termOf('Its term for posts.'),
        term_language: termOf('Its term for terms.'),
      },
    }),
    no_default_cat: { ...(CREATE_ARGUMENTS['no_default_cat'] as PropertySchema), context: ['edit'] },
  },
})

const text = (pattern: string, value: PropertySchema): PropertySchema => ({
  type: 'object',
  additionalProperties: false,
  patternProperties: { [pattern]: value },
})
const texts: PropertySchema = { type: 'array', items: { type: 'string' } }

/** Returns the arguments that set settings. @param mark prefix of names of hidden meta */
export const settingsArguments = (mark: string): Arguments => ({
  force_lang: { description: 'Where URLs carry the language.', type: 'integer', enum: [1, 2, 3] },
  domains: { description: 'Domains of languages.', ...text(SLUG_PATTERN, { type: 'string', format: 'uri' }) },
  hide_default: { description: 'Whether URLs of the default language lack its code.', type: 'boolean' },
  rewrite: { description: 'Whether URLs lack `/language/` before the code.', type: 'boolean' },
  redirect_lang: { description: 'Whether front pages have the URL of their language.', type: 'boolean' },
  browser: { description: 'Whether the front page follows the language of the browser.', type: 'boolean' },
  media_support: { description: 'Whether media have a language.', type: 'boolean' },
  post_types: { description: 'Content types with a language besides posts and pages.', ...texts },
  taxonomies: { description: 'Taxonomies with a language besides categories and tags.', ...texts },
  sync: {
    description: 'Data that translations share.',
    type: 'array',
    items: {
      type: 'string',
      enum: [
        ...'taxonomies post_meta comment_status ping_status sticky_posts post_date post_format post_parent'.split(' '),
        `_${mark}_page_template`,
        'menu_order',
        '_thumbnail_id',
      ],
    },
  },
  default_lang: { description: 'Code of the default language.', type: 'string', pattern: SLUG_PATTERN },
  nav_menus: {
    description: 'IDs of menus by theme, location and language.',
    ...text(String.raw`[^\/:<>\*\?"\|]+`, {
      type: 'object',
      patternProperties: { [String.raw`[\w-]+`]: text(SLUG_PATTERN, { type: 'integer', minimum: 0 }) },
      additionalProperties: false,
    }),
  },
})
