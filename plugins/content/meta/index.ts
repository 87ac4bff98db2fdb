import { definePlugin } from '../../../kernel/index.ts'
import { MetaService } from './service.ts'

export type { MetaRow, MetaValues } from './reader.ts'
export type { MetaField, MetaObject, MetaSpec, MetaType, PrepareMeta, ShownMeta } from './registry.ts'
export type { MetaService, ShownValues } from './service.ts'
export type { MetaStorage } from './storage.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Registered meta and the stored values.
     * @example
     * services.meta.register('post', 'litres', { type: 'integer', single: true, show_in_rest: true })
     * await services.meta.write('post', 12, 'litres', [3], request.scope)
     * const litres = Number(await services.meta.single('post', 12, 'litres', request.scope))
     */
    meta: MetaService
  }
}

/** Provides registered meta and shows it in the `meta` field of posts, terms, comments and users. */
export default definePlugin({
  name: 'meta',
  needs: ['resources', 'store', 'field-index'],
  after: ['content-types', 'roles'],
  provides: ['meta'],
  apply(plugin) {
    const meta = new MetaService(plugin)
    plugin.provide('meta', meta)
    plugin.services.fieldIndex.addSource(() => meta.indexed())
    // At a late stage, so that all content types and taxonomies are registered.
    plugin.hooks.registrations_checked.tap({ name: 'meta', stage: 100 }, (check) => meta.check(check))
    plugin.hooks.rest_update_additional_fields.tapPromise('meta', async (_item, _objectType, request, subject) => {
      if (subject === null) return
      const { type, subtype, object } = subject
      const refused = await meta.update(type, subtype, object, request.get('meta'), request)
      if (refused !== null) throw refused
    })
  },
})
