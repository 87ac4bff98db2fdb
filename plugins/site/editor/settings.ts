import type { PluginContext } from '../../../kernel/index.ts'
import type { Words } from '../../foundation/translations/index.ts'

/**
 * Seconds between autosaves to the server; `LOCAL_AUTOSAVE` is the interval in seconds for autosaves in the browser.
 */
const AUTOSAVE_INTERVAL_SECONDS = 60
const LOCAL_AUTOSAVE_INTERVAL_SECONDS = 15

/**
 * Returns the settings of the editor, with the names that it expects.
 * @param words texts in the language of the user
 * @param canvas URL of the editor's own style sheet for the iframe with the content
 */
export async function editorSettings(
  plugin: PluginContext,
  words: Words,
  canvas: string,
): Promise<Record<string, unknown>> {
  const { branding, config, services } = plugin
  const merged = plugin.has('global-styles') ? await services.globalStyles.merged() : {}
  const { themes } = services
  const sheets = [canvas, ...(await themes.styleSheetUrls((await themes.active()).stylesheet))]
  const sizes = plugin.has('media') ? services.imageSizes.all() : []
  return {
    alignWide: true,
    allowedBlockTypes: true,
    autosaveInterval: AUTOSAVE_INTERVAL_SECONDS,
    localAutosaveInterval: LOCAL_AUTOSAVE_INTERVAL_SECONDS,
    titlePlaceholder: words.t('Add title'),
    bodyPlaceholder: words.t('Type / to choose a block'),
    richEditingEnabled: true,
    codeEditingEnabled: true,
    enableCustomFields: false,
    isRTL: false,
    canEditCSS: true,
    canUpdateBlockBindings: true,
    supportsLayout: true,
    supportsTemplateMode: true,
    supportsTemplatePartsMode: false,
    disableLayoutStyles: false,
    __unstableIsBlockBasedTheme: true,
    __experimentalFeatures: merged.settings ?? {},
    __unstableResolvedAssets: {
      styles: sheets.map((url) => `<link rel="stylesheet" href="${url}">`).join(''),
      scripts: '',
    },
    styles: [],
    imageEditing: true,
    imageDefaultSize: 'large',
    imageSizes: [
      ...sizes.map(({ name }) => ({ slug: name, name: sizeLabel(words, name) })),
      { slug: 'full', name: words.t('image size|Full size') },
    ],
    imageDimensions: Object.fromEntries(sizes.map(({ name, ...size }) => [name, size])),
    maxUploadFileSize: config.limits.bodyLimit,
    availableTemplates: {},
    siteUrl: plugin.urls.site('/'),
    postsPerPage: Number(await services.options.get('posts_per_page', 10)),
    __experimentalDashboardLink: plugin.urls.site(branding.adminPath),
  }
}

/**
 * Returns names of days and months, date formats and the time zone of the site, for the editor.
 * @param words texts in the language of the user
 */
export async function dateSettings({ services }: PluginContext, words: Words): Promise<Record<string, unknown>> {
  const { timezone, gmt_offset, start_of_week, date_format, time_format } = await services.options.many([
    'timezone',
    'gmt_offset',
    'start_of_week',
    'date_format',
    'time_format',
  ])
  const name = typeof timezone === 'string' && timezone.includes('/') ? timezone : ''
  const offset = Number(gmt_offset) || 0
  const { language } = words
  const months = (month: 'long' | 'short') => listOf(language, 12, (at) => new Date(2024, at, 15), { month })
  const days = (weekday: 'long' | 'short') => listOf(language, 7, (at) => new Date(2024, 8, at + 1, 12), { weekday })
  return {
    l10n: {
      locale: language,
      months: months('long'),
      monthsShort: months('short'),
      weekdays: days('long'),
      weekdaysShort: days('short'),
      meridiem: { am: 'am', pm: 'pm', AM: 'AM', PM: 'PM' },
      relative: relativeTimes(words),
      startOfWeek: Number(start_of_week) || 0,
    },
    formats: {
      time: textOr(time_format, 'g:i a'),
      date: textOr(date_format, 'F j, Y'),
      datetime: `${textOr(date_format, 'F j, Y')} ${textOr(time_format, 'g:i a')}`,
      datetimeAbbreviated: 'M j, Y g:i a',
    },
    timezone: { offset, offsetFormatted: String(offset), string: name, abbr: '' },
  }
}

/** Returns the phrases of relative times by the keys of the editor. `%s` is one of the periods below. */
function relativeTimes(words: Words): Record<string, string> {
  return {
    future: words.t('relative time|%s from now'),
    past: words.t('relative time|%s ago'),
    s: words.t('relative time|a second'),
    ss: words.t('relative time|%d seconds'),
    m: words.t('relative time|a minute'),
    mm: words.t('relative time|%d minutes'),
    h: words.t('relative time|an hour'),
    hh: words.t('relative time|%d hours'),
    d: words.t('relative time|a day'),
    dd: words.t('relative time|%d days'),
    M: words.t('relative time|a month'),
    MM: words.t('relative time|%d months'),
    y: words.t('relative time|a year'),
    yy: words.t('relative time|%d years'),
  }
}

function listOf(
  language: string,
  count: number,
  dateAt: (at: number) => Date,
  options: Intl.DateTimeFormatOptions,
): string[] {
  const format = new Intl.DateTimeFormat(language, options)
  return Array.from({ length: count }, (_, at) => format.format(dateAt(at)))
}

/** Returns the label of an image size. Sizes of plugins are labeled by their names. */
function sizeLabel(words: Words, name: string): string {
  if (name === 'thumbnail') return words.t('image size|Thumbnail')
  if (name === 'medium') return words.t('image size|Medium')
  if (name === 'medium_large') return words.t('image size|Medium large')
  return name === 'large' ? words.t('image size|Large') : titled(name)
}

const titled = (name: string) => name.slice(0, 1).toUpperCase() + name.slice(1).replaceAll(/[-_]/g, ' ')
const textOr = (value: unknown, preset: string) => (typeof value === 'string' && value !== '' ? value : preset)
