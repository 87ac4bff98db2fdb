import type { ArgumentSchema, PluginContext } from '../../../kernel/index.ts'
import type { OptionalPlugins } from './switched-plugins.ts'

const NAMES = {
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  required: true,
  description: 'Names of optional plugins.',
} as const satisfies ArgumentSchema

/** Adds the commands that list optional plugins and switch them on and off. */
export function addOptionalCommands({ addCommand }: PluginContext, plugins: OptionalPlugins): void {
  addCommand('optional', {
    summary: 'Lists the optional plugins and whether they are on.',
    json: true,
    run: async ({ printData }) =>
      printData(
        (await plugins.list()).map(({ name, isOn, description }) => ({ name, on: isOn ? 'yes' : 'no', description })),
      ),
  })
  addCommand('optional on', {
    summary: 'Switches optional plugins on. A running server starts them within seconds.',
    args: { names: NAMES },
    run: async ({ operands, print }) => {
      const changed = await plugins.switchOn(operands.names)
      print(changed.length === 0 ? 'Already on.' : `Switched on: ${changed.join(', ')}.`)
    },
  })
  addCommand('optional off', {
    summary: 'Switches optional plugins off. Their data remain.',
    args: { names: NAMES },
    run: async ({ operands, print }) => {
      const changed = await plugins.switchOff(operands.names)
      print(changed.length === 0 ? 'Already off.' : `Switched off: ${changed.join(', ')}.`)
    },
  })
}
