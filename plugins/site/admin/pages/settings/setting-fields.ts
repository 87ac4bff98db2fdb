import type { ArgumentSchema } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { formatDate, localTime } from '../../../../rendering/core-blocks/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { choiceField, selectField, textField, type Choice, type FieldOptions } from '../../parts/fields.ts'
import { mediaField } from '../../parts/media-picker.ts'
import { routeSchemas } from '../../parts/route-schema.ts'
import { MAX_PER_PAGE } from '../../parts/list.ts'
import { schemaFields, type Schemas, type Values } from '../../parts/schema-fields.ts'
import { formatChoices } from '../content/filters.ts'
import { languageName } from '../users/user-fields.ts'

/** The data of the field of a setting. */
interface FieldParts {
  readonly options: FieldOptions
  /** As text. */
  readonly value: string
  readonly schema: ArgumentSchema
}

/** Renders the field of a setting that is not a plain text field. */
type FieldRenderer = (view: AdminView, parts: FieldParts) => PageHtml | Promise<PageHtml>

/** Labels of settings whose REST schema has a shorter title, or a title that is only clear in the REST API. */
const SETTING_LABELS = {
  title: 'Site title',
  description: 'Tagline',
  url: 'Site address (URL)',
  email: 'Email address',
  timezone: 'Timezone',
  date_format: 'Date format',
  time_format: 'Time format',
  start_of_week: 'Week starts on',
  language: 'Site language',
  use_smilies: 'Convert emoticons like :-) to graphics',
  default_category: 'Default post category',
  default_post_format: 'Default post format',
  posts_per_page: 'Posts per page',
  show_on_front: 'Your homepage displays',
  page_on_front: 'Homepage',
  page_for_posts: 'Posts page',
  default_ping_status: 'Pingbacks and trackbacks',
  default_comment_status: 'Comments',
  site_logo: 'Site logo',
  site_icon: 'Site icon',
} as const

/** Help texts below fields. Settings of plugins show the description of their schema. */
const HINTS = {
  title: 'Shown at the top of the site and in browser tabs.',
  description: 'In a few words, explain what this site is about.',
  url: 'Set in the site’s config file.',
  email: 'Administration email address (no mail is sent yet)',
  timezone: 'Choose a city in your time zone.',
  posts_per_page: 'Maximum number of posts per page.',
  blog_public: 'If off, search engines are asked not to index the site. It is up to them to honor this.',
  comment_max_links: 'Enter 0 for no limit.',
  comments_per_page: 'Replies aren’t counted.',
  moderation_keys: 'One word or IP address per line. Matched in the content, author, email, URL and IP address.',
  thumbnail_size_w:
    'In pixels. New sizes apply to images that you upload from now on. Enter 0 in both fields of a size to create no such images.',
  medium_size_w: 'In pixels. Enter 0 for no limit.',
  large_size_w: 'In pixels. Enter 0 for no limit.',
  uploads_use_yearmonth_folders: 'If off, new files are stored in one folder. Existing files stay where they are.',
  page_for_privacy_policy:
    'Visitors find a link to it on the log-in page and below the comment form once it is published.',
  disallowed_keys: 'One word or IP address per line. Matched in the content, author, email, URL and IP address.',
} as const

const DATE_FORMATS = ['F j, Y', 'j F Y', 'Y-m-d', 'd.m.Y', 'd/m/Y', 'm/d/Y']
const TIME_FORMATS = ['g:i a', 'g:i A', 'H:i']
/** The option for a custom format. */
const CUSTOM_OPTION = 'own'
/** Suffix of the field with the custom format. */
export const CUSTOM_FORMAT_SUFFIX = '_own'

const FIELD_RENDERERS: Readonly<Record<string, FieldRenderer>> = {
  url: (_view, { options, value }) => textField({ ...options, value, disabled: true }),
  language: (view, { options, value }) => {
    const locales = new Set(['en_US', ...view.plugin.services.translations.locales(), value])
    const choices = [...locales].filter((locale) => locale !== '')
    return selectField({
      ...options,
      value: value || 'en_US',
      choices: choices.map((locale) => ({ value: locale, label: languageName(view, locale) })),
    })
  },
  timezone: (_view, { options, value }) => {
    const zones = [...new Set(['UTC', value, ...Intl.supportedValuesOf('timeZone')])].filter((zone) => zone !== '')
    return selectField({ ...options, value, choices: zones.map((zone) => ({ value: zone, label: zone })) })
  },
  date_format: (view, parts) => formatField(view, parts, DATE_FORMATS),
  time_format: (view, parts) => formatField(view, parts, TIME_FORMATS),
  start_of_week: ({ words }, { options, value }) => {
    const names = new Intl.DateTimeFormat(words.language, { weekday: 'long', timeZone: 'UTC' })
    // 1 January 2023 was a Sunday.
    const choices = Array.from({ length: 7 }, (_, day) => ({
      value: String(day),
      label: names.format(Date.UTC(2023, 0, 1 + day)),
    }))
    return selectField({ ...options, value, choices })
  },
  show_on_front: ({ t }, { options, value }) =>
    choiceField({
      ...options,
      values: [value],
      choices: [
        { value: 'posts', label: t('Your latest posts') },
        { value: 'page', label: t('A static page') },
      ],
    }),
  page_on_front: (view, parts) => itemField(view, parts, 'pages', ({ title }) => plainText(title?.rendered ?? '')),
  page_for_posts: (view, parts) => itemField(view, parts, 'pages', ({ title }) => plainText(title?.rendered ?? '')),
  page_for_privacy_policy: (view, parts) =>
    itemField(view, parts, 'pages', ({ title }) => plainText(title?.rendered ?? ''), 'publish,draft,pending,private'),
  default_category: (view, parts) => itemField(view, parts, 'categories', ({ name }) => plainText(name ?? '')),
  async default_post_format(view, { options, value }) {
    const { t } = view
    const schemas = await routeSchemas(view, 'posts')
    const formats = (schemas['format']?.enum ?? []).map(String).filter((format) => format !== 'standard')
    const slugs = [...new Set([...formats, ...(value === '0' || value === '' ? [] : [value])])]
    const names = new Map(formatChoices(view).map(({ value: format, label }) => [format, label]))
    const choices = [
      { value: '0', label: t('post format|Standard') },
      ...slugs.map((format) => ({ value: format, label: names.get(format) ?? format })),
    ]
    return selectField({ ...options, value, choices })
  },
  default_comment_status: (view, parts) => openField(view, parts),
  default_ping_status: (view, parts) => openField(view, parts),
  default_comments_page: ({ t }, { options, value }) =>
    selectField({
      ...options,
      value,
      choices: [
        { value: 'newest', label: t('Last page') },
        { value: 'oldest', label: t('First page') },
      ],
    }),
  comment_order: ({ t }, { options, value }) =>
    selectField({
      ...options,
      value,
      choices: [
        { value: 'asc', label: t('Oldest first') },
        { value: 'desc', label: t('Newest first') },
      ],
    }),
  site_logo: (view, parts) => imageField(view, parts),
  site_icon: (view, parts) => imageField(view, parts),
}

/** Settings that contain the ID of a media file. */
export const IMAGE_SETTINGS: readonly string[] = ['site_logo', 'site_icon']

/** Renders the fields of settings. @param values stored or submitted values by name */
export async function settingFields(
  view: AdminView,
  schemas: Schemas,
  values: Values,
  errors: Readonly<Record<string, string>>,
): Promise<PageHtml> {
  const { t } = view
  const fields: PageHtml[] = []
  for (const [name, schema] of Object.entries(schemas)) {
    const hint = Object.hasOwn(HINTS, name) ? HINTS[name as keyof typeof HINTS] : undefined
    const label = settingLabel(view, name, schema)
    const renderField = FIELD_RENDERERS[name]
    if (renderField === undefined) {
      const isKnown = hint !== undefined || Object.hasOwn(SETTING_LABELS, name)
      const description = isKnown ? '' : (schema.description ?? '')
      const shown = { ...schema, title: label, description: t(hint === undefined ? description : hint) }
      fields.push(...schemaFields(view, { schemas: { [name]: shown }, values, name: '', errors }).values())
      continue
    }
    const options = { name, label, error: errors[name], ...(hint !== undefined && { hint: t(hint) }) }
    const value = values[name]
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    fields.push(await renderField(view, { options, schema, value: text }))
  }
  return html`${fields}`
}

/** Returns the label of a setting in the language of the user. */
export function settingLabel({ t }: AdminView, name: string, { title }: { readonly title?: string } = {}): string {
  const isKnown = Object.hasOwn(SETTING_LABELS, name)
  return t(isKnown ? SETTING_LABELS[name as keyof typeof SETTING_LABELS] : (title ?? name))
}

/** Renders radio buttons with examples of date formats, and a field for a custom format. */
async function formatField(
  view: AdminView,
  { options, value }: FieldParts,
  formats: readonly string[],
): Promise<PageHtml> {
  const { t } = view
  const zone = await view.plugin.services.options.get<string>('timezone', 'UTC')
  const now = localTime(Math.floor(Date.now() / 1000), zone)
  const isOwn = !formats.includes(value)
  const example = isOwn && value !== '' ? t('Preview: {example}', { example: formatDate(value, now) }) : ''
  const choices = [
    ...formats.map((format) => ({ value: format, label: `${formatDate(format, now)} (${format})` })),
    { value: CUSTOM_OPTION, label: t('Custom:') },
  ]
  return html`${choiceField({ ...options, values: [isOwn ? CUSTOM_OPTION : value], choices })}
  ${textField({
    name: `${options.name}${CUSTOM_FORMAT_SUFFIX}`,
    label: t('Custom {name}', { name: options.label }),
    value,
    hint: `${t('Y = year, m = month, d = day, H = hour, i = minute.')} ${example}`.trim(),
    attributes: html` maxlength="50"`,
  })}`
}

interface Named {
  readonly id: number
  readonly name?: string
  readonly title?: { readonly rendered?: string }
}

/**
 * Renders a select of the existing items, or a field for an ID if there are too many items.
 * @param status statuses of the offered posts; by default published ones
 */
async function itemField(
  view: AdminView,
  { options, value }: FieldParts,
  route: string,
  nameOf: (item: Named) => string,
  status?: string,
): Promise<PageHtml> {
  const { t } = view
  const query = {
    per_page: MAX_PER_PAGE,
    _fields: 'id,title,name',
    orderby: route === 'pages' ? 'title' : 'name',
    order: 'asc',
    status,
  }
  const answer = await view.attempt<Named[]>('GET', route, { query })
  const total = Number(answer?.headers.get(view.plugin.branding.header('Total')) ?? 0)
  if (answer === null || total > MAX_PER_PAGE)
    return textField({ ...options, value, type: 'number', hint: t('Enter an ID, or 0 for none.') })
  const itemChoices: Choice[] = answer.data.map((item) => ({
    value: String(item.id),
    label: nameOf(item) || `#${item.id}`,
  }))
  const isThere = value === '' || value === '0' || itemChoices.some((choice) => choice.value === value)
  const choices = [
    { value: '0', label: t('None') },
    ...itemChoices,
    ...(isThere ? [] : [{ value, label: `#${value}` }]),
  ]
  return selectField({ ...options, value: value || '0', choices })
}

function openField({ t }: AdminView, { options, value }: FieldParts): PageHtml {
  const choices = [
    { value: 'open', label: t('On for new posts') },
    { value: 'closed', label: t('Off for new posts') },
  ]
  return selectField({ ...options, value, choices })
}

interface Picture {
  readonly title?: { readonly rendered?: string }
  readonly alt_text?: string
  readonly source_url?: string
}

async function imageField(view: AdminView, { options, value }: FieldParts): Promise<PageHtml> {
  const id = Number(value) || 0
  const file =
    id === 0 ? null : await view.find<Picture>(`media/${id}`, { query: { _fields: 'title,alt_text,source_url' } })
  return mediaField(view, {
    ...options,
    value: id,
    file:
      file === null
        ? null
        : { title: plainText(file.title?.rendered ?? ''), alt: file.alt_text ?? '', thumbnail: file.source_url ?? '' },
  })
}
