import { definePlugin } from '../../../kernel/index.ts'
import { addTranslationsCommand } from './command.ts'
import { Translations } from './service.ts'

export type { Translations } from './service.ts'
export type { Catalog, TextValues, Words } from './words.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Translates the texts that visitors, editors and administrators read.
     * @example
     * services.translations.add('de', { 'Opening hours': 'Öffnungszeiten' })
     * const words = await services.translations.site()
     * const title = words.t('Opening hours')
     */
    translations: Translations
  }
}

export interface TranslationsOptions {
  /** Folder with catalogs of the site, one file per language: `de.json`. It need not exist. */
  folder: string
  /** Shipped languages that users can choose for the admin besides English and the language of the site: `["de", "pt-BR"]`. */
  languages: readonly string[]
}

/** Translates pages, the login page and the admin; the source language of all texts is English. */
export default definePlugin<TranslationsOptions>({
  name: 'translations',
  needs: ['settings'],
  uses: ['users'],
  provides: ['translations'],
  options: {
    folder: { default: 'words', type: 'string' },
    languages: { default: [], type: 'array', items: { type: 'string' } },
  },
  apply(plugin, { folder, languages }) {
    const translations = new Translations(plugin, folder, languages)
    plugin.provide('translations', translations)
    addTranslationsCommand(plugin, translations)
  },
})
