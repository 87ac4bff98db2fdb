import type { ItemSchema, PropertySchema } from '../../resources/index.ts'

/** Returns the schema of autosaves: the schema of revisions with the preview link. */
export function autosaveSchema({ properties, ...revision }: ItemSchema): ItemSchema {
  const preview: PropertySchema = {
    description: 'URL of the preview of the autosave.',
    type: 'string',
    format: 'uri',
    context: ['edit'],
    readonly: true,
  }
  return { ...revision, properties: { ...properties, preview_link: preview } }
}
