import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ERROR_TEXTS } from '../../../../../plugins/operations/importer/error-texts.ts'
import { NOTES } from '../../../../../plugins/operations/importer/notes.ts'
import { REASONS } from '../../../../../plugins/operations/importer/phrases.ts'
import { REPAIRS } from '../../../../../plugins/operations/importer/repairs.ts'
import { PAGE_TEXTS } from '../../../../../plugins/site/admin/pages/import/phrases.ts'

export const root = resolve(import.meta.dirname, '../../../../..')

/** All texts that reports of imports and their errors can contain. */
export const reportTexts: readonly string[] = [
  ...REASONS,
  ...Object.keys(NOTES),
  ...Object.values(REPAIRS),
  ...Object.values(ERROR_TEXTS).map(([, text]) => text),
  ...Object.values(NOTES).flatMap((note) => ('advice' in note ? [note.advice] : [])),
]

const onPage: Readonly<Record<string, string>> = PAGE_TEXTS

/** Returns the text that the import page shows. */
export const shownText = (text: string) => onPage[text] ?? text

export function catalogOf(language: string): Readonly<Record<string, string>> {
  const file = join(root, `plugins/foundation/translations/catalogs/${language}.json`)
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
}

/** Returns the texts of reports that a page in German shows in English. */
export function englishTexts(page: string): string[] {
  const german = catalogOf('de')
  const read = page
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/\s+/g, ' ')
  return reportTexts.filter((text) => {
    const pattern = text.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '.{0,200}?')
    // A word such as "widgets" is the same in both languages.
    return german[text] !== text && new RegExp(`(?<![\\p{L}/])${pattern}(?![\\p{L}/])`, 'u').test(read)
  })
}
