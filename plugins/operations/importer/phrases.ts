import { messageOf } from '../../../kernel/index.ts'
import type { ERROR_TEXTS } from './error-texts.ts'
import type { NOTES } from './notes.ts'
import type { REPAIRS } from './repairs.ts'

/** Reasons and subjects in reports, in addition to notes and repairs. Braces mark values. */
export const REASONS = [
  // Of skipped objects.
  'authors without a login',
  'changed here; kept',
  'cut off by the end of the file',
  'declared twice',
  'deleted here; add them again with --restore',
  'deleted here, or over the limit of revisions',
  'drafts that were never saved',
  'no taxonomy or slug',
  'no type',
  'over the limit of revisions',
  'their item has no type',
  'unknown element <{name}>',
  'without a key',
  // Of skipped media files.
  'a different file with this name already exists in the uploads folder',
  'earlier versions of files that the archive contains more than once',
  'files that belong to no attachment',
  'hidden files',
  'links and special files',
  'program files',
  'the export has no URL for it',
  // Of failed downloads.
  '{origin} failed {count} times in a row',
  'the file does not match its checksum',
  'the file is larger than {bytes} bytes',
  'the image is larger than {bytes} bytes',
  'the old site responded {status}',
  'the old site sends the file in parts without a version',
  'the old site sent another part of the file than requested',
  // Data that an import from a running site cannot read.
  'active theme',
  'content type {slug}',
  'content types',
  'definitions of custom fields (Advanced Custom Fields)',
  'drafts, private posts, email addresses, roles and raw texts',
  'font faces',
  'languages',
  'languages and translations of posts and terms (Polylang)',
  'locations of menus',
  'meta and options of plugins',
  'passwords of users',
  'revisions of {count} {kind}',
  'settings',
  'styles',
  'taxonomies',
  'taxonomy {slug}',
  'template parts',
  'templates',
  'templates of titles, texts of terms and sharing images (Yoast SEO)',
  'titles and descriptions (Rank Math)',
  'widgets',
  'widgets of {names}',
  '{kind}: {names}',
  // Why it cannot.
  '{count} entries without an ID',
  '{count} came in the form in which pages show them: the user may not edit them',
  '{count} left out, because the old site fails to show them',
  '{missing} of {total} are not shown to the user',
  'fields of posts do not contain them; an export file contains them',
  'fields that plugins of the old site add',
  'it has no route in the REST API',
  'it needs a user with the capability {capability} ({reason})',
  'it needs another user ({reason})',
  'not requested after several failures',
  'only a part comes: {reason}',
  'only the Pro version shows them; an export file contains them',
  'only the public part comes: {reason}',
  'only {count} of {total} were read: {reason}',
  'only {count} were read: {reason}',
  'status {status}',
  'status {status}: {message}',
  'the REST API contains finished titles and descriptions of posts, which come; an export file and a site file contain the rest',
  'the REST API contains only what plugins register for it; an export file contains the meta',
  'the REST API contains the values; export the field groups there, and import them here with svc fields import',
  'the REST API does not contain them; set new ones',
  'the list has more objects than the {count} it states',
  'the old site has no such route ({reason})',
  'the response is HTML instead of JSON, such as a login or maintenance page or the page of a firewall',
  'the response is empty',
  'the response is not JSON: {start}',
  'the response is not a list',
  'they need a user: --user',
  'this site has block themes, which have template parts instead of widgets',
  // Of differences between both sites.
  'HTML that the author may not write here was filtered',
  'HTML that the author may not write here was filtered, and IDs were replaced with the IDs of this site',
  'IDs in blocks and classes were replaced with the IDs of this site',
  'a draft has no date in UTC',
  'converted to plain text',
  'its post did not come',
  'its text is behind a password, so it came as an empty draft',
  'no plugin of this site registers the setting',
  'the meta key is stored, but no plugin of this site shows it',
  'the object did not come',
  'the object is missing here',
  'the object was already here and differs',
  'the site had the setting already',
  'the slug is in the form of this site',
  'the slug was already used here',
  'the type or taxonomy is not registered here: its objects are stored, but not served',
  'the values differ',
  // Why a file is not an export.
  'it contains no <rss> element',
  'its channel does not describe a site',
  'its encoding {name} is not supported',
  'its root element is <{name}>, not <rss>',
  'the file is empty',
  // Why sources are invalid.
  'a zip archive cannot be read from the standard input; save it first',
  'an export unpacks to more than {ratio} times its size',
  'both {one} and {other} contain media files; name one of them',
  'no export file was uploaded',
  'the archive cannot be read: {reason}',
  'the archive has more than {count} entries',
  'the compressed file is damaged: {reason}',
  '{name} contains neither an export (WXR) nor media files',
  '{name} does not exist or cannot be read',
  '{name} is not a readable zip archive',
  '{name}: no export (WXR) was found',
  '{name}: {entry} is encrypted',
  // Why media files are invalid.
  'one path is used by both a file and a folder',
  'the archive contains a path outside its folder: {name}',
  'the archive contains a {type} ({name}); only files and folders are allowed',
  'the archive contains a symlink ({name})',
  'the archive contains an encrypted file ({name})',
  'the archive unpacks to more than {ratio} times its size of {bytes} bytes',
  'the disk of the uploads folder is full',
  'the files have more than {bytes} bytes in total',
  'the files need more than the {bytes} bytes available on the disk of the uploads folder',
  'the path {name} is too long or has too many folders',
  'there are more than {count} files',
  'there are two archives of media files',
  '{name} has no valid size',
  '{name} is larger than {bytes} bytes',
  '{name} is the uploads folder itself',
  '{name}: {reason}',
  // Why a site file is invalid.
  '"registered" of the user {login} is not a date',
  'a theme with a folder needs a "stylesheet" of letters, digits, _ and -',
  'it is not valid JSON ({reason})',
  'no plugin of this site registers the setting "{name}"',
  'the files of the theme are larger than {bytes} bytes',
  'the role {role} of the user {login} is not registered on this site',
  'the setting "{name}" is defined by the config and cannot be imported',
  'the setting "{name}" is invalid ({reason})',
  'the theme folder {name} does not exist',
  'the theme has more than {count} files',
  'two users have the login {login}',
  '{reason}: did you mean {name}?',
  // Why the old site refuses a password.
  '{reason}. The old site does not offer application passwords, for which it must use https',
] as const

/** The text of a reason or of the subject of a gap. */
export type ReportReason = (typeof REASONS)[number]

/** The text of a note. */
export type NoteText = keyof typeof NOTES | (typeof REPAIRS)[keyof typeof REPAIRS]
/** The text of an advice. */
export type NoteAdvice = Extract<(typeof NOTES)[keyof typeof NOTES], { readonly advice: string }>['advice']
/** A text of a report: its English form with values in braces, which is also the key of its translations. */
export type ReportText = ReportReason | NoteText | NoteAdvice | (typeof ERROR_TEXTS)[keyof typeof ERROR_TEXTS][1]

/** A text of a report with its values, which can be phrases. */
export interface ReportPhrase {
  readonly text: ReportText
  readonly values?: PhraseValues
}
export type PhraseValues = Readonly<Record<string, string | number | ReportPhrase>>

/** The names of the values in a text. */
export type PhraseNames<T> = T extends `${string}{${infer N}}${infer Rest}` ? N | PhraseNames<Rest> : never
/** The values of a text. A reason is a text of its own, or a phrase. */
export type ValuesOf<T> = {
  readonly [N in PhraseNames<T>]: N extends 'reason' ? ReportReason | ReportPhrase : string | number
}

/** Creates a phrase of a text with values. */
export function phrase<const T extends ReportText>(text: T, values: ValuesOf<T>): ReportPhrase {
  return { text, values }
}

/** Returns a phrase in English. */
export function inEnglish(said: PhraseValues[string] | undefined): string {
  if (typeof said !== 'object') return String(said ?? '')
  const { text, values = {} } = said
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? inEnglish(values[name]) : whole,
  )
}

/** Changes the texts that are values of a phrase, and texts of other parts. */
export function mapPhrase({ text, values = {} }: ReportPhrase, change: (text: string) => string): ReportPhrase {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' ? mapPhrase(value, change) : typeof value === 'string' ? change(value) : value,
  ])
  return { text: change(text) as ReportText, values: Object.fromEntries(entries) as PhraseValues }
}

/** An error whose message is a phrase. */
export class PhraseError extends Error {
  readonly phrase: ReportPhrase

  constructor(said: ReportPhrase | ReportReason) {
    const phrase = typeof said === 'string' ? { text: said } : said
    super(inEnglish(phrase))
    this.phrase = phrase
  }
}

/** Returns a message of another part as a phrase without a full stop. It has no translation. */
export function foreignPhrase(message: string): ReportPhrase {
  return { text: message.replace(/\.$/, '') as ReportReason }
}

/** Returns the message of an error as a phrase. */
export function phraseOf(error: unknown): ReportPhrase {
  return ownPhrase(error) ?? foreignPhrase(messageOf(error))
}

/** Returns the phrase of an error of the importer; undefined for other errors. */
export function ownPhrase(error: unknown): ReportPhrase | undefined {
  return error instanceof Error ? (error as { phrase?: ReportPhrase }).phrase : undefined
}
