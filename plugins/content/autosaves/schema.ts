import type { ItemSchema, PropertySchema } from '../../resources/index.ts'

/** The schema of autosaves: that of revisions, and where the saved text can be seen. */
export function autosaveSchema({ properties, ...revision }: ItemSchema): ItemSchema {
  const preview: PropertySchema = {
    description: 'URL at which the saved text can be seen.',
    type: 'string',
    format: 'uri',
    context: ['edit'],
    readonly: true,
  }
  return { ...revision, properties: { ...properties, preview_link: preview } }
}
