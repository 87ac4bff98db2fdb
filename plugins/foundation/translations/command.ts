import type { PluginContext } from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { Translations } from './service.ts'
import type { Catalog } from './words.ts'

/** Registers `svc translations`, and its former name `svc admin words`. */
export function addTranslationsCommand({ addCommand }: PluginContext, translations: Translations): void {
  for (const name of ['translations', 'admin words'])
    addCommand(name, {
      summary:
        name === 'translations'
          ? 'Prints all texts with their translations into a language, in the form of a catalog file.'
          : 'Former name of svc translations.',
      flags: {
        // Without `pattern`: the check of this schema at each start would have to load a library for it.
        language: { description: 'Language, such as de or pt-BR.', type: 'string' },
        missing: { description: 'Prints only texts without a translation.', type: 'boolean' },
      },
      async run({ flags: { language = 'en', missing = false }, print }) {
        const entries = await entriesOf(translations, languageNamed(language))
        const shown = missing ? entries.filter(([, value]) => !isComplete(value)) : entries
        print(JSON.stringify(Object.fromEntries(shown), null, 2))
      },
    })
}

type Entry = Catalog[string] | Readonly<Record<string, string | null>> | null

/** All texts with their translations; null marks missing ones. */
async function entriesOf(translations: Translations, language: string): Promise<(readonly [string, Entry])[]> {
  const { default: texts } = await import('./texts.json', { with: { type: 'json' } })
  const catalog = await translations.catalog(language)
  const of = (text: string) => (Object.hasOwn(catalog, text) ? catalog[text]! : null)
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted()
  const plural = (many: string) => {
    const found = of(many)
    return typeof found === 'string' ? found : Object.fromEntries(forms.map((form) => [form, found?.[form] ?? null]))
  }
  const sourceTexts = new Set([...texts.texts, ...Object.keys(texts.plurals)])
  return [
    ...texts.texts.map((text) => [text, of(text)] as const),
    ...Object.keys(texts.plurals).map((many) => [many, plural(many)] as const),
    // Texts that plugins of the site have added.
    ...Object.entries(catalog).filter(([text]) => !sourceTexts.has(text)),
  ]
}

/** Returns the canonical form of a language: `pt-BR` for `pt-br`. @throws TRANSLATION_LANGUAGE_INVALID */
function languageNamed(name: string): string {
  try {
    return new Intl.Locale(name).baseName
  } catch (cause) {
    throw errors.TRANSLATION_LANGUAGE_INVALID(name, { cause })
  }
}

function isComplete(value: Entry): boolean {
  if (value === null || typeof value === 'string') return value !== null
  return Object.values(value).every((form) => form !== null)
}
