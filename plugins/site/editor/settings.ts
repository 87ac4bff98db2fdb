import type { PluginContext } from '../../../kernel/index.ts'

/**
 * Seconds between autosaves to the server; `LOCAL_AUTOSAVE` is the interval in seconds for autosaves in the browser.
 */
const AUTOSAVE_INTERVAL_SECONDS = 60
const LOCAL_AUTOSAVE_INTERVAL_SECONDS = 15

/** Returns the settings of the editor, with the names that it expects. */
export async function editorSettings(plugin: PluginContext, canvas: string): Promise<Record<string, unknown>> {
  const { branding, config, services } = plugin
  const merged = plugin.has('global-styles') ? await services.globalStyles.merged() : {}
  const sizes = plugin.has('media') ? services.imageSizes.all() : []
  return {
    alignWide: true,
    allowedBlockTypes: true,
    autosaveInterval: AUTOSAVE_INTERVAL_SECONDS,
    localAutosaveInterval: LOCAL_AUTOSAVE_INTERVAL_SECONDS,
    titlePlaceholder: 'Add title',
    bodyPlaceholder: 'Type / to choose a block',
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
    __unstableResolvedAssets: { styles: `<link rel="stylesheet" href="${canvas}">`, scripts: '' },
    styles: [],
    imageEditing: true,
    imageDefaultSize: 'large',
    imageSizes: [...sizes.map(({ name }) => ({ slug: name, name: titled(name) })), { slug: 'full', name: 'Full size' }],
    imageDimensions: Object.fromEntries(sizes.map(({ name, ...size }) => [name, size])),
    maxUploadFileSize: config.limits.bodyLimit,
    availableTemplates: {},
    siteUrl: plugin.urls.site('/'),
    postsPerPage: Number(await services.options.get('posts_per_page', 10)),
    __experimentalDashboardLink: plugin.urls.site(branding.adminPath),
  }
}

/** Returns names of days and months, date formats and the time zone of the site, for the editor. */
export async function dateSettings({ services }: PluginContext): Promise<Record<string, unknown>> {
  const { timezone, gmt_offset, start_of_week, date_format, time_format } = await services.options.many([
    'timezone',
    'gmt_offset',
    'start_of_week',
    'date_format',
    'time_format',
  ])
  const name = typeof timezone === 'string' && timezone.includes('/') ? timezone : ''
  const offset = Number(gmt_offset) || 0
  const months = (month: 'long' | 'short') => listOf(12, (at) => new Date(2024, at, 15), { month })
  const days = (weekday: 'long' | 'short' | 'narrow') => listOf(7, (at) => new Date(2024, 8, at + 1, 12), { weekday })
  return {
    l10n: {
      locale: 'en',
      months: months('long'),
      monthsShort: months('short'),
      weekdays: days('long'),
      weekdaysShort: days('short'),
      meridiem: { am: 'am', pm: 'pm', AM: 'AM', PM: 'PM' },
      relative: RELATIVE_TIME_FORMATS,
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

const RELATIVE_TIME_FORMATS = {
  future: '%s from now',
  past: '%s ago',
  s: 'a second',
  ss: '%d seconds',
  m: 'a minute',
  mm: '%d minutes',
  h: 'an hour',
  hh: '%d hours',
  d: 'a day',
  dd: '%d days',
  M: 'a month',
  MM: '%d months',
  y: 'a year',
  yy: '%d years',
}

function listOf(count: number, dateAt: (at: number) => Date, options: Intl.DateTimeFormatOptions): string[] {
  const format = new Intl.DateTimeFormat('en', options)
  return Array.from({ length: count }, (_, at) => format.format(dateAt(at)))
}

const titled = (name: string) => name.slice(0, 1).toUpperCase() + name.slice(1).replaceAll(/[-_]/g, ' ')
const textOr = (value: unknown, preset: string) => (typeof value === 'string' && value !== '' ? value : preset)
