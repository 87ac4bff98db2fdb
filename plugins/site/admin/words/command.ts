import type { PluginContext } from '../../../../kernel/index.ts'
import type { Admin } from '../admin.ts'
import { errors } from '../errors.ts'
import { catalogueOf } from './languages.ts'
import type { Catalogue } from './words.ts'

/** Adds `svc admin words`. */
export function addWordsCommand({ addCommand }: PluginContext, admin: Admin): void {
  addCommand('admin words', {
    summary: 'Prints the texts of the admin with their translations, as a file of the folder of words has them.',
    flags: {
      // Without a pattern: a start that checks one loads what matches patterns.
      language: { description: 'The language, such as de or pt-BR.', type: 'string' },
      missing: { description: 'Only what is not translated yet.', type: 'boolean' },
    },
    async run({ flags: { language: name = 'en', missing = false }, print }) {
      const language = languageNamed(name)
      const { default: texts } = await import('./texts.json', { with: { type: 'json' } })
      const there = await catalogueOf(admin, language)
      const of = (text: string) => (Object.hasOwn(there, text) ? there[text]! : null)
      const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted()
      const plural = (many: string) => {
        const found = of(many)
        return typeof found === 'string'
          ? found
          : Object.fromEntries(forms.map((form) => [form, found?.[form] ?? null]))
      }
      const known = new Set([...texts.texts, ...Object.keys(texts.plurals)])
      const entries = [
        ...texts.texts.map((text) => [text, of(text)] as const),
        ...Object.keys(texts.plurals).map((many) => [many, plural(many)] as const),
        // What plugins of the site have added for themselves.
        ...Object.entries(there).filter(([text]) => !known.has(text)),
      ]
      const shown = missing ? entries.filter(([, value]) => !isComplete(value)) : entries
      print(JSON.stringify(Object.fromEntries(shown), null, 2))
    },
  })
}

/** A language as its file is named: `pt-br` is `pt-BR`. @throws ADMIN_LANGUAGE_INVALID */
function languageNamed(name: string): string {
  try {
    return new Intl.Locale(name).baseName
  } catch (cause) {
    throw errors.ADMIN_LANGUAGE_INVALID(name, { cause })
  }
}

function isComplete(value: Catalogue[string] | Readonly<Record<string, string | null>> | null): boolean {
  if (value === null || typeof value === 'string') return value !== null
  return Object.values(value).every((form) => form !== null)
}
