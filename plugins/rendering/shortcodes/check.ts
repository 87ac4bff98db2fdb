import { defineErrors, sentence } from '../../../kernel/index.ts'
import { shapeMistake } from '../../library/advice/index.ts'

/** Errors of the plugin `shortcodes`. */
export const errors = defineErrors({
  SHORTCODE_INVALID: (plugin: string, name: string, reason: string) =>
    `${plugin} registers the shortcode ${name} wrongly: ${sentence(reason)}`,
})

/** Returns the first mistake in a shortcode registration; null if it is valid. */
export function shortcodeMistake(name: string, callback: unknown, options: object): string | null {
  if (!/^[\w-]+$/.test(name)) return 'its name must consist of letters, digits, hyphens and underscores'
  if (typeof callback !== 'function') return 'give it a function: register(name, (attributes, content) => html)'
  const mistake = shapeMistake<{ dependsOn?: unknown; cache?: boolean; override?: boolean }>(options, {
    dependsOn: ['text', 'list', 'function'],
    cache: 'flag',
    override: 'flag',
  })
  return mistake === null ? null : `its third argument ${mistake}`
}
