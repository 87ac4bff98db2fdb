import type { ArgumentSchema, PluginContext } from '../../public.ts'
import type { CustomTypes } from './service.ts'

const NAMES = {
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  required: true,
  description: 'Names of types and taxonomies.',
} as const satisfies ArgumentSchema

/** Adds the commands that list drafts of types and taxonomies, and confirm them. */
export function addCustomTypeCommands({ addCommand }: Pick<PluginContext, 'addCommand'>, types: CustomTypes): void {
  addCommand('types drafts', {
    summary: 'Lists content types and taxonomies that have content but no definition.',
    json: true,
    run: async ({ printData }) =>
      printData((await types.drafts()).map(({ kind, name, count }) => ({ kind, name, items: count }))),
  })
  addCommand('types confirm', {
    summary: 'Defines content types and taxonomies by their drafts. Restart the server to serve them.',
    args: { names: NAMES },
    run: async ({ operands, print }) => {
      const confirmed = await types.confirm(operands.names)
      print(`Defined: ${confirmed.map(({ name }) => name).join(', ')}.`)
    },
  })
}
