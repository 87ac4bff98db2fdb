import type { PluginContext } from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { Themes } from './service.ts'

/** Adds the commands `svc themes` and `svc themes activate`. */
export function addThemeCommands({ addCommand }: PluginContext, themes: Themes): void {
  addCommand('themes', {
    summary: 'Lists the themes, the active one first.',
    json: true,
    async run({ printData }) {
      const all = await themes.all()
      printData(
        all.map(({ stylesheet, name, version, status }) => ({ stylesheet, name, version, status })),
        all.map(({ stylesheet, name, version, status }) => [stylesheet, name, version, status]),
      )
    },
  })
  addCommand('themes activate', {
    summary: 'Activates a theme.',
    description:
      'Edited templates and styles belong to a theme: they are kept, and shown again when the theme is active again.',
    args: { theme: { type: 'string', required: true, description: 'Slug of the theme: the name of its folder.' } },
    async run({ operands: { theme: slug }, print }) {
      const theme = await themes.activate(slug)
      if (theme === null) throw errors.THEME_UNKNOWN(slug)
      print(`${theme.name} is active.`)
    },
  })
}
