import type { PluginContext } from '../../../kernel/index.ts'
import { escapeHtml, PageHtml } from '../../library/markup/index.ts'

/** Translates the texts of blocks into the language of the site, as HTML. */
export interface Texts {
  /** BCP 47: `de`. */
  readonly language: string
  /** Translates a text. @param values HTML that replaces `{name}` */
  readonly t: (text: string, values?: Readonly<Record<string, string | number>>) => string
  /** Translates a text about a number: `count(n, '1 comment', '{count} comments')`. */
  readonly count: (number: number, one: string, others: string) => string
}

/** Returns the texts of blocks. Blocks rendered with them depend on the option `language`. */
export async function blockTexts({ services }: PluginContext): Promise<Texts> {
  const words = await services.translations.site()
  return {
    language: words.language,
    t: (text, values = {}) => {
      const parts = Object.entries(values).map(([name, value]) => [name, new PageHtml(String(value))] as const)
      return words.html(text, Object.fromEntries(parts)).text
    },
    count: (number, one, others) => escapeHtml(words.count(number, one, others)),
  }
}
