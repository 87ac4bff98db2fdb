import * as surface from '../../plugins/public.ts'
import { blocksOf, SERVICES } from './blocks.ts'

const CONTEXT = ['hooks', 'services', 'config', 'urls', 'log', 'worker', 'provide', 'onRemove', 'addCommand', 'has']

/**
 * Returns the source of a plugin whose `apply` runs the TypeScript fragments of a page, each in a separate
 * scope. Modules of the page are left out: see `modulesOf`.
 * @param parts.keys further keys of the definition: `hooks: { … }`
 * @param parts.before statements that `apply` runs before the fragments
 */
export async function fragmentsOf(
  page: string,
  needs: readonly string[],
  { keys = '', before = '' } = {},
): Promise<string> {
  const blocks = (await blocksOf(page)).filter(({ language }) => language === 'ts')
  const fragments = blocks
    .map(({ code }) => code.replaceAll(/^declare module [\s\S]*?^\}$/gm, ''))
    .filter((code) => !/^(import|export) /m.test(code))
  const code = [keys, before, ...fragments].join('\n')
  const used = (names: readonly string[]) =>
    names.filter((name) => new RegExp(`(?<![.\\w'-])${name}\\b`).test(code)).join(', ')
  return `
    import { definePlugin, ${used(Object.keys(surface).filter((name) => name !== 'definePlugin'))} } from 'svc-rest'
    export default definePlugin({
      name: 'fragments',
      needs: ${JSON.stringify(needs)},
      ${keys}
      async apply(plugin) {
        const { ${used(CONTEXT)} } = plugin
        const { ${used(SERVICES.filter((name) => name !== 'arguments').map((name) => `${name}\\.`)).replaceAll('\\.', '')} } = plugin.services
        ${before}
        ${fragments.map((fragment) => `{\n${fragment}\n}`).join('\n')}
      },
    })`
}

/** Returns the sources of the plugins that a page defines, by file name: `garden.ts` defines the plugin `garden`. */
export async function modulesOf(page: string): Promise<Record<string, string>> {
  const blocks = await blocksOf(page)
  return Object.fromEntries(
    blocks.flatMap(({ language, code }) => {
      const name = language === 'ts' && /^export default definePlugin[\s\S]*?name: '([\w-]+)'/m.exec(code)?.[1]
      return name ? ([[`${name}.ts`, code]] as const) : []
    }),
  )
}
