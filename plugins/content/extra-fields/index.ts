import { definePlugin } from '../../../kernel/index.ts'
import { ExtraFields } from './service.ts'

export type { FieldArgs } from './field-args.ts'
export type { FieldIndexing } from './indexed-fields.ts'
export type { ExtraFields } from './service.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Fields that plugins add to objects of other plugins.
     * @example
     * services.extraFields.register('post', 'words', {
     *   get_callback: async ({ id }, _name, { scope }) => (await services.posts.get(Number(id),
     *   scope))?.content.split(' ').length,
     *   schema: { description: 'Words in the content.', type: 'integer', context: ['view'] },
     * })
     */
    extraFields: Pick<ExtraFields, 'register' | 'reindex' | 'update'>
  }
}

/** Adds the fields that plugins register for any object, with functions that read and write the value, and a schema. */
export default definePlugin({
  name: 'extra-fields',
  needs: ['resources', 'store', 'field-index'],
  after: ['content-types', 'taxonomies'],
  formerServices: { fields: 'extraFields' },
  provides: ['extraFields'],
  apply(plugin) {
    const fields = new ExtraFields(plugin)
    plugin.provide('extraFields', fields)
    plugin.services.fieldIndex.addSource(() => fields.indexed())
    // At a late stage, so that all content types and taxonomies are registered.
    plugin.hooks.registrations_checked.tap({ name: 'extra-fields', stage: 100 }, (check) => fields.check(check))
    plugin.hooks.rest_additional_fields.tapPromise('extra-fields', (data, objectType, request, selection) =>
      fields.addTo(data, objectType, request, selection),
    )
    plugin.hooks.rest_update_additional_fields.tapPromise('extra-fields', async (item, objectType, request) => {
      const refused = await fields.update(objectType, item, request)
      if (refused !== null) throw refused
    })
  },
})
