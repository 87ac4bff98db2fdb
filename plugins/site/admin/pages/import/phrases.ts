import {
  type PhraseValues,
  type ReportPhrase,
  type ReportReason,
  type ReportText,
} from '../../../../operations/importer/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { kindLabel } from './kinds.ts'

/** Texts that name flags or commands of the shell. */
type ShellText = Extract<ReportText, `${string}--${string}` | `${string} svc ${string}`>

/** Texts that name fields of the import page, in place of texts that name flags of the shell. */
export const PAGE_TEXTS = {
  'Download the files from the old site: import again with --download.':
    'Import again with “Download missing media files from the old site”.',
  'Give the user a role with svc user role.': 'Give the user a role under Users.',
  'Import again with --download; files that exist are not requested again.':
    'Import again with “Download missing media files from the old site”; files that exist are not requested again.',
  'Import again with --uploads or --download.':
    'Import again with “Media files” or “Download missing media files from the old site”.',
  'Import with --user.': 'Import with “Username on the old site”.',
  'Set role and password with svc user role and svc user set-password, or import a site file.':
    'Set the role and the password under Users, or import a site file.',
  'To keep the HTML, import again with --trust-html.':
    'To keep the HTML, import again without “Filter HTML of authors who may not write any HTML”.',
  '{file} is damaged. Import again with “Read everything again” (--full).':
    '{file} is damaged. Import again with “Read everything again, not only changes since the last import”.',
  'deleted here; add them again with --restore': 'deleted here',
  'the REST API contains the values; export the field groups there, and import them here with svc fields import':
    'the REST API contains only the values',
  'they need a user: --user': 'they need a user: fill in “Username on the old site”',
} as const satisfies Readonly<Record<ShellText, string>>

type PageText = Exclude<ReportText, ShellText> | (typeof PAGE_TEXTS)[ShellText]

/** Translates a phrase of a report with its values. */
export function said(view: AdminView, { text, values = {} }: ReportPhrase): string {
  const shown = Object.hasOwn(PAGE_TEXTS, text) ? PAGE_TEXTS[text as ShellText] : (text as PageText)
  return view.t(
    shown,
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueText(view, name, value)])),
  )
}

function valueText(view: AdminView, name: string, value: PhraseValues[string]): string {
  if (typeof value === 'object') return said(view, value)
  if (name === 'reason') return said(view, { text: String(value) as ReportReason })
  return name === 'kind' ? kindLabel(view, String(value)) : String(value)
}

/** Returns the message of an error, translated if the importer has written it. */
export function errorText(view: AdminView, message: string, phrase: ReportPhrase | undefined): string {
  return phrase === undefined ? message : said(view, phrase)
}
