import { definePlugin } from '../../public.ts'
import { switchedOn } from '../switched-on.ts'
import type { CustomFields } from './service.ts'

export type { ValueFormat } from './fields.ts'
export type { Field, FieldGroup, Layout, LocationRule } from './model.ts'
export type { CustomFields, NamedValues } from './service.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * The fields that Advanced Custom Fields has defined, and their values.
     * @example
     * const { price } = await services.customFields.values('post', 12, request, 'light')
     */
    customFields: CustomFields
  }
}

/** Options of custom fields. */
export interface CustomFieldsOptions {
  /** Names of fields by which lists can be filtered and sorted. */
  filterable: readonly string[]
}

/** Serves the fields of Advanced Custom Fields in the field `acf` of posts, terms, users and comments. */
export default definePlugin<CustomFieldsOptions>({
  name: 'custom-fields',
  description: 'Field acf of Advanced Custom Fields: definitions and values of custom fields.',
  needs: [
    'changes',
    'comments',
    'content-rendering',
    'content-types',
    'extra-fields',
    'media',
    'meta',
    'permalinks',
    'posts',
    'roles',
    'settings',
    'store',
    'taxonomies',
    'terms',
    'users',
  ],
  uses: ['admin', 'oembed'],
  after: ['custom-types', 'menu-routes'],
  provides: ['customFields'],
  startsIf: switchedOn('custom-fields'),
  options: { filterable: { default: [], type: 'array', items: { type: 'string' } } },
  async apply(plugin, { filterable }) {
    // Loaded on demand, because most sites have no custom fields.
    const { startCustomFields } = await import('./start.ts')
    await startCustomFields(plugin, filterable)
  },
})
