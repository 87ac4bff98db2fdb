import { readFile } from 'node:fs/promises'
import type { ArgumentSchema, PluginContext } from '../../public.ts'
import { errors } from './errors.ts'
import type { JsonDefinitions } from './json-definitions.ts'

const FILES = {
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  required: true,
  description: 'Paths of JSON files.',
} as const satisfies ArgumentSchema

/** Adds the commands that export and import definitions of fields. */
export function addFieldCommands({ addCommand }: PluginContext, definitions: JsonDefinitions): void {
  addCommand('fields export', {
    summary: 'Prints all groups of custom fields as JSON of Advanced Custom Fields.',
    run: async ({ print }) => print(JSON.stringify(await definitions.export(), null, 4)),
  })
  addCommand('fields import', {
    summary: 'Stores groups of custom fields from JSON files, and replaces those with the same keys.',
    args: { files: FILES },
    run: async ({ operands, print }) => {
      for (const file of operands.files) {
        const titles = await definitions.import(parsed(await readFile(file, 'utf8')))
        print(`Stored: ${titles.join(', ')}.`)
      }
    },
  })
}

/** @throws FIELD_JSON_INVALID */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw errors.FIELD_JSON_INVALID('it is not JSON', { cause })
  }
}
